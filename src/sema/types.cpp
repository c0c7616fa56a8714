// Interning of types: one table from shape to type. Types and their argument lists live in an arena and are never freed
// one by one.
#include "sema/types.h"

#include <algorithm>

#include <absl/container/flat_hash_set.h>
#include <absl/container/inlined_vector.h>

#include "base/arena.h"
#include "sema/symbols.h"

namespace nlang::sema {

namespace {

// Texts of types that grow by doubling (Pair<Pair<…>, Pair<…>>) are cut here.
constexpr size_t kLongestTypeName = 400;

// Everything by which two types differ.
struct Shape {
  TypeKind kind;
  uint64_t outMask;
  const void* symbol; // declaration or parameter
  std::span<const Type* const> arguments;
};

Shape shapeOf(const Type* type) {
  const void* symbol =
      type->kind == TypeKind::kParameter ? static_cast<const void*>(type->parameter) : type->declaration;
  return {type->kind, type->outMask, symbol, type->arguments};
}

struct ShapeHash {
  using is_transparent = void;
  size_t operator()(const Shape& shape) const {
    return absl::HashOf(shape.kind, shape.outMask, shape.symbol,
                        absl::Span<const Type* const>(shape.arguments.data(), shape.arguments.size()));
  }
  size_t operator()(const Type* type) const { return (*this)(shapeOf(type)); }
};

struct ShapeEqual {
  using is_transparent = void;
  static bool same(const Shape& a, const Shape& b) {
    return a.kind == b.kind && a.outMask == b.outMask && a.symbol == b.symbol &&
           a.arguments.size() == b.arguments.size() &&
           std::equal(a.arguments.begin(), a.arguments.end(), b.arguments.begin());
  }
  bool operator()(const Type* a, const Type* b) const { return same(shapeOf(a), shapeOf(b)); }
  bool operator()(const Type* a, const Shape& b) const { return same(shapeOf(a), b); }
};

constexpr uint16_t kDeepest = UINT16_MAX - 1; // more is not counted

constexpr size_t kSimpleKinds = static_cast<size_t>(TypeKind::kString) + 1;

} // namespace

struct TypeTable::Impl {
  base::Arena arena;
  const Type* simple[kSimpleKinds];
  absl::flat_hash_set<const Type*, ShapeHash, ShapeEqual> interned;

  // Finds or makes the type of `shape`; the argument list is copied only for a new one.
  const Type* intern(const Shape& shape, ClassSymbol* declaration, TypeParameterSymbol* parameter) {
    if (auto found = interned.find(shape); found != interned.end()) return *found;
    bool hasParameters = shape.kind == TypeKind::kParameter;
    uint16_t depth = 1;
    for (const Type* argument : shape.arguments) {
      hasParameters |= argument->hasParameters;
      depth = std::max(depth, static_cast<uint16_t>(std::min(argument->depth, kDeepest) + 1));
    }
    auto arguments = arena.copyList(shape.arguments.data(), shape.arguments.size());
    const Type* made =
        arena.make<Type>(Type{shape.kind, hasParameters, depth, shape.outMask, declaration, parameter, arguments});
    interned.insert(made);
    return made;
  }
};

TypeTable::TypeTable() : impl_(new Impl) {
  for (size_t i = 0; i < kSimpleKinds; ++i)
    impl_->simple[i] =
        impl_->arena.make<Type>(Type{.kind = static_cast<TypeKind>(i), .hasParameters = false, .arguments = {}});
}

TypeTable::~TypeTable() { delete impl_; }

const Type* TypeTable::simple(TypeKind kind) const { return impl_->simple[static_cast<size_t>(kind)]; }

const Type* TypeTable::enumType(ClassSymbol* declaration) {
  return impl_->intern({TypeKind::kEnum, 0, declaration, {}}, declaration, nullptr);
}

const Type* TypeTable::named(ClassSymbol* declaration, std::span<const Type* const> arguments) {
  TypeKind kind = TypeKind::kClass;
  if (declaration->kind == ClassKind::kEnum) return enumType(declaration);
  if (declaration->kind == ClassKind::kStruct) kind = TypeKind::kStruct;
  if (declaration->kind == ClassKind::kInterface) kind = TypeKind::kInterface;
  return impl_->intern({kind, 0, declaration, arguments}, declaration, nullptr);
}

const Type* TypeTable::array(const Type* element) {
  return impl_->intern({TypeKind::kArray, 0, nullptr, std::span(&element, 1)}, nullptr, nullptr);
}

const Type* TypeTable::function(const Type* result, std::span<const Type* const> parameters, uint64_t outMask) {
  absl::InlinedVector<const Type*, 8> arguments;
  arguments.push_back(result);
  arguments.insert(arguments.end(), parameters.begin(), parameters.end());
  return impl_->intern({TypeKind::kFunction, outMask, nullptr, arguments}, nullptr, nullptr);
}

const Type* TypeTable::parameter(TypeParameterSymbol* symbol) {
  return impl_->intern({TypeKind::kParameter, 0, symbol, {}}, nullptr, symbol);
}

const Type* TypeTable::substitute(const Type* type, const Substitution& substitution) {
  if (!type->hasParameters) return type;
  if (type->kind == TypeKind::kParameter) {
    for (const Substitution* level = &substitution; level != nullptr; level = level->outer) {
      // A parameter knows its position, so most look-ups need no search.
      size_t index = type->parameter->index;
      if (index < level->parameters.size() && level->parameters[index] == type->parameter &&
          index < level->arguments.size()) {
        return level->arguments[index];
      }
      for (size_t i = 0; i < level->parameters.size() && i < level->arguments.size(); ++i) {
        if (level->parameters[i] == type->parameter) return level->arguments[i];
      }
    }
    return type;
  }
  absl::InlinedVector<const Type*, 8> arguments;
  bool changed = false;
  for (const Type* argument : type->arguments) {
    arguments.push_back(substitute(argument, substitution));
    changed |= arguments.back() != argument;
  }
  if (!changed) return type;
  return impl_->intern({type->kind, type->outMask, type->declaration, arguments}, type->declaration, nullptr);
}

namespace {

void appendName(std::string& text, const Type* type);

void appendList(std::string& text, std::span<const Type* const> types, uint64_t outMask) {
  text += '<';
  for (size_t i = 0; i < types.size(); ++i) {
    if (i > 0) text += ", ";
    if (i > 0 && ((outMask >> (i - 1)) & 1)) text += "out ";
    if (text.size() > kLongestTypeName) {
      text += "…";
      break;
    }
    appendName(text, types[i]);
  }
  text += '>';
}

void appendName(std::string& text, const Type* type) {
  static constexpr std::string_view kNames[kSimpleKinds] = {"<error>", "void",   "null", "bool",  "byte", "ubyte",
                                                            "short",   "ushort", "int",  "uint",  "long", "ulong",
                                                            "float",   "double", "char", "string"};
  switch (type->kind) {
  case TypeKind::kEnum: text += type->declaration->name; break;
  case TypeKind::kStruct:
  case TypeKind::kClass:
  case TypeKind::kInterface:
    text += type->declaration->name;
    if (!type->arguments.empty()) appendList(text, type->arguments, 0);
    break;
  case TypeKind::kArray:
    appendName(text, type->element());
    text += "[]";
    break;
  case TypeKind::kFunction:
    text += "func";
    appendList(text, type->arguments, type->outMask);
    break;
  case TypeKind::kParameter: text += type->parameter->name; break;
  default: text += kNames[static_cast<size_t>(type->kind)];
  }
}

} // namespace

std::string typeName(const Type* type) {
  std::string text;
  appendName(text, type);
  return text;
}

} // namespace nlang::sema
