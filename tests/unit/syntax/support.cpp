#include "unit/syntax/support.h"

#include <fmt/format.h>

namespace nlang::syntax {

std::string Text::tokens() {
  std::string out;
  for (const Token& token : lex().tokens) {
    if (!out.empty()) out += ' ';
    const bool hasText = token.kind == TokenKind::Identifier || token.kind == TokenKind::IntLiteral ||
                         token.kind == TokenKind::FloatLiteral || token.kind == TokenKind::CharLiteral;
    const std::string_view spelling = spellingOf(token.kind);
    if (hasText) {
      out += file_->text().substr(token.begin, token.end - token.begin);
    } else if (!spelling.empty()) {
      out += spelling;
    } else {
      constexpr const char* kNames[] = {"EOF", "INVALID", "", "", "", "", "STRING", "HEAD", "SPEC", "MIDDLE", "TAIL"};
      out += kNames[static_cast<std::size_t>(token.kind)];
    }
  }
  return out;
}

std::string Text::reports() const {
  std::string out;
  for (const Diagnostic* d : sink_.sorted()) {
    const LineColumn at = file_->positionOf(d->range.begin);
    out += fmt::format("{}{}:{} {}", out.empty() ? "" : " ", at.line, at.column, infoOf(d->id).code);
  }
  return out;
}

namespace {

std::string withReports(std::string text, const Text& source) {
  if (!source.reports().empty()) text += " !! " + source.reports();
  return text;
}

std::string joined(std::span<Stmt*> statements) {
  std::string out;
  for (const Stmt* s : statements) out += (out.empty() ? "" : " ") + printTree(s);
  return out;
}

} // namespace

std::string tree(std::string text) {
  Text source(std::move(text));
  std::string printed = printTree(source.parse());
  printed = printed.size() > 9 ? printed.substr(8, printed.size() - 9) : "";
  return withReports(printed, source);
}

std::string body(const std::string& statements) {
  Text source("void f() {  " + statements + "}");
  const Module* module = source.parse();
  const auto* function = module->declarations.empty() ? nullptr : dyn<FunctionDecl>(module->declarations[0]);
  return withReports(function == nullptr ? "no function" : joined(function->body->statements), source);
}

std::string expr(const std::string& expression) {
  Text source("int v() { return " + expression + "; }");
  const Module* module = source.parse();
  const auto* function = module->declarations.empty() ? nullptr : dyn<FunctionDecl>(module->declarations[0]);
  if (function == nullptr || function->body->statements.empty()) return withReports("no statement", source);
  const auto* statement = dyn<ReturnStmt>(function->body->statements[0]);
  return withReports(statement == nullptr ? "no expression" : printTree(statement->value), source);
}

std::string reports(std::string text) {
  Text source(std::move(text));
  source.parse();
  return source.reports();
}

} // namespace nlang::syntax
