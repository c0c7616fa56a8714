#include "syntax/print_tree.h"

#include "base/utf8.h"
#include "syntax/tree.h"

#include <fmt/format.h>

#include <bit>

namespace nlang::syntax {

namespace {

class Printer {
 public:
  std::string take() { return std::move(out_); }
  void node(const Node* node) {
    if (node == nullptr) {
      out_ += '_';
    } else if (isType(node)) {
      type(node);
    } else if (isDecl(node)) {
      declaration(node);
    } else if (isStmt(node)) {
      statement(node);
    } else if (isExpr(node)) {
      expression(node);
    } else {
      part(node);
    }
  }

 private:
  // ---- pieces
  void open(std::string_view word) {
    out_ += '(';
    out_ += word;
  }
  void close() { out_ += ')'; }
  void word(std::string_view text) {
    out_ += ' ';
    out_ += text.empty() ? std::string_view("<missing>") : text;
  }
  void child(const Node* n) {
    out_ += ' ';
    node(n);
  }
  // An optional part is left out when it is not there.
  void optional(const Node* n) {
    if (n != nullptr) child(n);
  }
  template <class T> void children(std::span<T*> list) {
    for (const Node* n : list) child(n);
  }
  template <class T> void group(std::string_view name, std::span<T*> list) {
    if (list.empty()) return;
    out_ += ' ';
    open(name);
    children(list);
    close();
  }
  void quoted(std::string_view text, char quote) {
    out_ += quote;
    for (const char c : text) {
      if (c == '\n') {
        out_ += "\\n";
      } else if (c == quote || c == '\\') {
        out_ += '\\';
        out_ += c;
      } else if (static_cast<unsigned char>(c) < 0x20) {
        out_ += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
      } else {
        out_ += c;
      }
    }
    out_ += quote;
  }
  template <class T> void listed(std::span<T*> list) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (i > 0) out_ += ", ";
      node(list[i]);
    }
  }
  void typeArguments(std::span<Type*> arguments, bool written) {
    if (!written) return;
    out_ += '<';
    listed(arguments);
    out_ += '>';
  }
  void path(std::span<Ident> names) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (i > 0) out_ += '.';
      out_ += names[i].text.empty() ? std::string_view("<missing>") : names[i].text;
    }
  }

  // ---- types
  void type(const Node* n) {
    switch (n->kind) {
    case NodeKind::PrimitiveType: out_ += nameOf(as<PrimitiveType>(n)->primitive); break;
    case NodeKind::NamedType: {
      const auto* named = as<NamedType>(n);
      path(named->path);
      typeArguments(named->arguments, named->hasArguments);
      break;
    }
    case NodeKind::ArrayType:
      node(as<ArrayType>(n)->element);
      out_ += "[]";
      break;
    case NodeKind::FuncType: {
      const auto* func = as<FuncType>(n);
      out_ += "func<";
      node(func->result);
      for (const FuncTypeParameter* p : func->parameters) {
        out_ += p->isOut ? ", out " : ", ";
        node(p->type);
      }
      out_ += '>';
      break;
    }
    default: out_ += "<error-type>"; break;
    }
  }

  // ---- declarations
  void head(std::string_view what, const Decl* d) {
    open(what);
    constexpr const char* kNames[] = {"public",  "protected", "private", "static", "abstract",
                                      "virtual", "override",  "const",   "native", "blocking"};
    for (std::uint16_t rest = d->modifiers; rest != 0; rest &= rest - 1) word(kNames[std::countr_zero(rest)]);
    word(d->name.text);
    if (!d->doc.empty()) {
      out_ += " (doc ";
      quoted(d->doc, '"');
      close();
    }
  }
  void nativeSpec(const NativeSpec* spec) {
    if (spec == nullptr) return;
    out_ += " (library ";
    quoted(spec->library, '"');
    out_ += ' ';
    quoted(spec->function, '"');
    close();
  }
  void typeDecl(std::string_view what, const TypeDecl* d) {
    head(what, d);
    group("types", d->typeParameters);
    if (d->base != nullptr) {
      out_ += " (base";
      child(d->base);
      close();
    }
    group("implements", d->interfaces);
    children(d->members);
    close();
  }
  void declaration(const Node* n) {
    switch (n->kind) {
    case NodeKind::ImportDecl: {
      const auto* d = as<ImportDecl>(n);
      head("import", d);
      out_ += ' ';
      path(d->path);
      break;
    }
    case NodeKind::AliasDecl:
      head("alias", as<AliasDecl>(n));
      child(as<AliasDecl>(n)->target);
      break;
    case NodeKind::VariableDecl: {
      const auto* d = as<VariableDecl>(n);
      head("var", d);
      child(d->type);
      optional(d->initializer);
      break;
    }
    case NodeKind::FunctionDecl: {
      const auto* d = as<FunctionDecl>(n);
      head("function", d);
      nativeSpec(d->native);
      group("types", d->typeParameters);
      child(d->returnType);
      out_ += " (";
      listed(d->parameters);
      close();
      optional(d->body);
      break;
    }
    case NodeKind::ConstructorDecl: {
      const auto* d = as<ConstructorDecl>(n);
      head("constructor", d);
      nativeSpec(d->native);
      out_ += " (";
      listed(d->parameters);
      close();
      optional(d->body);
      break;
    }
    case NodeKind::ClassDecl: return typeDecl("class", as<TypeDecl>(n));
    case NodeKind::StructDecl: return typeDecl("struct", as<TypeDecl>(n));
    case NodeKind::InterfaceDecl: return typeDecl("interface", as<TypeDecl>(n));
    case NodeKind::EnumDecl: {
      const auto* d = as<EnumDecl>(n);
      head("enum", d);
      children(d->values);
      children(d->members);
      break;
    }
    case NodeKind::EnumMemberDecl:
      head("member", as<EnumMemberDecl>(n));
      optional(as<EnumMemberDecl>(n)->value);
      break;
    default: out_ += "(<error-declaration>"; break;
    }
    close();
  }

  // ---- statements
  void local(const LocalStmt* s) {
    open(s->isConst ? "const" : "local");
    out_ += ' ';
    s->type == nullptr ? void(out_ += "var") : node(s->type);
    word(s->name.text);
    optional(s->initializer);
    close();
  }
  void loop(std::string_view what, const LoopStmt* s) {
    open(what);
    if (!s->label.empty()) out_ += fmt::format(" (label {})", s->label.text);
  }
  void statement(const Node* n) {
    switch (n->kind) {
    case NodeKind::BlockStmt:
      open("block");
      children(as<BlockStmt>(n)->statements);
      break;
    case NodeKind::LocalStmt: return local(as<LocalStmt>(n));
    case NodeKind::ExprStmt: return node(as<ExprStmt>(n)->expression);
    case NodeKind::AssignStmt:
      open(textOf(as<AssignStmt>(n)->op));
      child(as<AssignStmt>(n)->target);
      child(as<AssignStmt>(n)->value);
      break;
    case NodeKind::StepStmt:
      open(as<StepStmt>(n)->isIncrement ? "++" : "--");
      child(as<StepStmt>(n)->target);
      break;
    case NodeKind::IfStmt:
      open("if");
      for (const IfBranch* branch : as<IfStmt>(n)->branches) part(branch);
      optional(as<IfStmt>(n)->elseBody);
      break;
    case NodeKind::WhileStmt:
      loop("while", as<LoopStmt>(n));
      child(as<WhileStmt>(n)->condition);
      child(as<WhileStmt>(n)->body);
      break;
    case NodeKind::DoStmt:
      loop("do", as<LoopStmt>(n));
      child(as<DoStmt>(n)->body);
      child(as<DoStmt>(n)->condition);
      break;
    case NodeKind::ForStmt: {
      const auto* s = as<ForStmt>(n);
      loop("for", s);
      group("init", s->init);
      child(s->condition);
      group("update", s->update);
      child(s->body);
      break;
    }
    case NodeKind::ForeachStmt:
      loop("foreach", as<LoopStmt>(n));
      children(as<ForeachStmt>(n)->variables);
      child(as<ForeachStmt>(n)->iterable);
      child(as<ForeachStmt>(n)->body);
      break;
    case NodeKind::SwitchStmt:
      open("switch");
      child(as<SwitchStmt>(n)->subject);
      children(as<SwitchStmt>(n)->cases);
      break;
    case NodeKind::BreakStmt:
      open("break");
      if (!as<BreakStmt>(n)->label.empty()) word(as<BreakStmt>(n)->label.text);
      break;
    case NodeKind::ContinueStmt:
      open("continue");
      if (!as<ContinueStmt>(n)->label.empty()) word(as<ContinueStmt>(n)->label.text);
      break;
    case NodeKind::ReturnStmt:
      open("return");
      optional(as<ReturnStmt>(n)->value);
      break;
    case NodeKind::ThrowStmt:
      open("throw");
      optional(as<ThrowStmt>(n)->value);
      break;
    case NodeKind::TryStmt: {
      const auto* s = as<TryStmt>(n);
      open("try");
      child(s->body);
      children(s->catches);
      if (s->finallyBody != nullptr) {
        out_ += " (finally";
        child(s->finallyBody);
        close();
      }
      break;
    }
    case NodeKind::AssertStmt:
      open("assert");
      child(as<AssertStmt>(n)->condition);
      optional(as<AssertStmt>(n)->message);
      break;
    case NodeKind::LockStmt:
      open("lock");
      child(as<LockStmt>(n)->mutex);
      child(as<LockStmt>(n)->body);
      break;
    case NodeKind::SelectStmt:
      open("select");
      children(as<SelectStmt>(n)->cases);
      break;
    case NodeKind::UsingStmt:
      open("using");
      child(as<UsingStmt>(n)->variable);
      child(as<UsingStmt>(n)->body);
      break;
    case NodeKind::SuperCallStmt:
      open("super");
      children(as<SuperCallStmt>(n)->arguments);
      break;
    case NodeKind::EmptyStmt: open("empty"); break;
    default: open("<error-statement>"); break;
    }
    close();
  }

  // ---- expressions
  void integer(const IntLiteral* e) {
    switch (e->intKind) {
    case IntKind::Int: out_ += fmt::format("{}", static_cast<std::int64_t>(e->bits)); break;
    case IntKind::Long: out_ += fmt::format("{}L", static_cast<std::int64_t>(e->bits)); break;
    case IntKind::UInt: out_ += fmt::format("{}u", e->bits); break;
    case IntKind::ULong: out_ += fmt::format("{}uL", e->bits); break;
    }
  }
  void expression(const Node* n) {
    switch (n->kind) {
    case NodeKind::IntLiteral: return integer(as<IntLiteral>(n));
    case NodeKind::FloatLiteral:
      out_ += as<FloatLiteral>(n)->isFloat ? fmt::format("{}f", static_cast<float>(as<FloatLiteral>(n)->value))
                                           : fmt::format("{}", as<FloatLiteral>(n)->value);
      return;
    case NodeKind::CharLiteral: {
      std::string text;
      base::appendUtf8(text, as<CharLiteral>(n)->value);
      return quoted(text, '\'');
    }
    case NodeKind::StringLiteral: return quoted(as<StringLiteral>(n)->value, '"');
    case NodeKind::BoolLiteral: out_ += as<BoolLiteral>(n)->value ? "true" : "false"; return;
    case NodeKind::NullLiteral: out_ += "null"; return;
    case NodeKind::ThisExpr: out_ += "this"; return;
    case NodeKind::SuperExpr: out_ += "super"; return;
    case NodeKind::TypeExpr: return node(as<TypeExpr>(n)->type);
    case NodeKind::NameExpr:
      out_ += as<NameExpr>(n)->name.text;
      return typeArguments(as<NameExpr>(n)->typeArguments, as<NameExpr>(n)->hasTypeArguments);
    case NodeKind::InterpolatedString:
      open("text");
      children(as<InterpolatedString>(n)->parts);
      break;
    case NodeKind::MemberExpr: {
      const auto* e = as<MemberExpr>(n);
      open(e->isNullSafe ? "?." : ".");
      child(e->target);
      word(e->name.text);
      typeArguments(e->typeArguments, e->hasTypeArguments);
      break;
    }
    case NodeKind::NullChainExpr:
      open("chain");
      child(as<NullChainExpr>(n)->chain);
      break;
    case NodeKind::CallExpr:
      open(as<CallExpr>(n)->isNew ? "new" : "call");
      child(as<CallExpr>(n)->callee);
      children(as<CallExpr>(n)->arguments);
      break;
    case NodeKind::IndexExpr:
      open("index");
      child(as<IndexExpr>(n)->target);
      child(as<IndexExpr>(n)->index);
      break;
    case NodeKind::UnaryExpr:
      open(textOf(as<UnaryExpr>(n)->op));
      child(as<UnaryExpr>(n)->operand);
      break;
    case NodeKind::BinaryExpr: {
      out_ += '(';
      node(as<BinaryExpr>(n)->first);
      for (const BinaryOperand* operand : as<BinaryExpr>(n)->rest) {
        word(textOf(operand->op));
        child(operand->value);
      }
      break;
    }
    case NodeKind::CastExpr:
      open("as");
      child(as<CastExpr>(n)->value);
      child(as<CastExpr>(n)->type);
      break;
    case NodeKind::TypeTestExpr:
      open("is");
      child(as<TypeTestExpr>(n)->value);
      child(as<TypeTestExpr>(n)->type);
      break;
    case NodeKind::ConditionalExpr:
      open("?");
      child(as<ConditionalExpr>(n)->condition);
      child(as<ConditionalExpr>(n)->thenValue);
      child(as<ConditionalExpr>(n)->elseValue);
      break;
    case NodeKind::LambdaExpr: {
      const auto* e = as<LambdaExpr>(n);
      out_ += "(=> (";
      listed(e->parameters);
      close();
      e->block != nullptr ? child(e->block) : child(e->expression);
      break;
    }
    case NodeKind::NewArrayExpr:
      open("new-array");
      child(as<NewArrayExpr>(n)->element);
      child(as<NewArrayExpr>(n)->length);
      break;
    case NodeKind::BraceExpr: {
      const auto* e = as<BraceExpr>(n);
      if (e->type != nullptr) node(e->type);
      out_ += '{';
      listed(e->entries);
      out_ += '}';
      return;
    }
    case NodeKind::BracketExpr:
      out_ += '[';
      listed(as<BracketExpr>(n)->elements);
      out_ += ']';
      return;
    case NodeKind::ParenExpr:
      open("paren");
      child(as<ParenExpr>(n)->inner);
      break;
    case NodeKind::RangeExpr:
      open("..");
      child(as<RangeExpr>(n)->from);
      child(as<RangeExpr>(n)->to);
      break;
    default:
      open("<error>");
      optional(as<ErrorExpr>(n)->partial);
      break;
    }
    close();
  }

  // ---- parts
  void part(const Node* n) {
    switch (n->kind) {
    case NodeKind::Module: {
      const auto* m = as<Module>(n);
      open("module");
      children(m->imports);
      children(m->declarations);
      break;
    }
    case NodeKind::TypeParameter:
      out_ += as<TypeParameter>(n)->name.text;
      if (as<TypeParameter>(n)->bound != nullptr) {
        out_ += ':';
        node(as<TypeParameter>(n)->bound);
      }
      return;
    case NodeKind::Parameter: {
      const auto* p = as<Parameter>(n);
      if (p->isOut) out_ += "out ";
      if (p->type != nullptr) {
        node(p->type);
        out_ += ' ';
      }
      out_ += p->name.text.empty() ? std::string_view("<missing>") : p->name.text;
      if (p->defaultValue != nullptr) {
        out_ += " = ";
        node(p->defaultValue);
      }
      return;
    }
    case NodeKind::Argument: {
      const auto* a = as<Argument>(n);
      if (!a->name.empty()) out_ += fmt::format("{}=", a->name.text);
      if (a->isOut) out_ += "out ";
      return node(a->value);
    }
    case NodeKind::BraceEntry:
      if (as<BraceEntry>(n)->key != nullptr) {
        node(as<BraceEntry>(n)->key);
        out_ += ": ";
      }
      return node(as<BraceEntry>(n)->value);
    case NodeKind::InterpolationPart: {
      const auto* p = as<InterpolationPart>(n);
      if (p->value == nullptr) return quoted(p->text, '"');
      out_ += "${";
      node(p->value);
      if (p->formatRange.valid()) out_ += fmt::format(":{}", p->format);
      out_ += '}';
      return;
    }
    case NodeKind::IfBranch:
      child(as<IfBranch>(n)->condition);
      child(as<IfBranch>(n)->body);
      return;
    case NodeKind::CatchClause:
      open("catch");
      child(as<CatchClause>(n)->type);
      word(as<CatchClause>(n)->name.text);
      child(as<CatchClause>(n)->body);
      break;
    case NodeKind::SwitchCase: {
      const auto* c = as<SwitchCase>(n);
      if (c->isDefault) {
        open("default");
      } else {
        out_ += "(case (";
        listed(c->values);
        close();
      }
      children(c->body);
      break;
    }
    case NodeKind::SelectCase: {
      const auto* c = as<SelectCase>(n);
      open(c->selectKind == SelectKind::Default   ? "default"
           : c->selectKind == SelectKind::Timeout ? "timeout"
                                                  : "case");
      if (c->declares) {
        out_ += " (";
        c->type == nullptr ? void(out_ += "var") : node(c->type);
        word(c->name.text);
        close();
      }
      optional(c->operation);
      children(c->body);
      break;
    }
    case NodeKind::ForeachVariable: {
      const auto* v = as<ForeachVariable>(n);
      out_ += '(';
      v->type == nullptr ? void(out_ += "var") : node(v->type);
      word(v->name.text);
      break;
    }
    default: open(nameOf(n->kind)); break;
    }
    close();
  }

  std::string out_;
};

} // namespace

std::string printTree(const Node* node) {
  Printer printer;
  printer.node(node);
  return printer.take();
}

} // namespace nlang::syntax
