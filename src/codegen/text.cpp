// Interpolation and concatenation: pieces become texts in consecutive registers, and one instruction joins them.
#include "codegen/function_generator.h"

namespace nlang::codegen {

using sema::BinaryOp;
using sema::ExpressionKind;
using sema::TypeKind;

namespace {

// Joined by one instruction.
constexpr size_t kMostPieces = 1000;

template <class T> const T& as(const sema::Expression& expression) { return static_cast<const T&>(expression); }

bool isConcatenation(const sema::Expression& expression) {
  return expression.kind == ExpressionKind::kBinary && as<sema::BinaryExpression>(expression).op == BinaryOp::kAdd &&
         expression.type->kind == TypeKind::kString;
}

const char* formatFunction(TypeKind kind) {
  switch (kind) {
  case TypeKind::kBool: return "formatBool";
  case TypeKind::kChar: return "formatChar";
  case TypeKind::kFloat: return "formatFloat";
  case TypeKind::kDouble: return "formatDouble";
  case TypeKind::kULong: return "formatULong";
  case TypeKind::kByte:
  case TypeKind::kUByte:
  case TypeKind::kShort:
  case TypeKind::kUShort:
  case TypeKind::kInt:
  case TypeKind::kUInt:
  case TypeKind::kLong: return "formatLong";
  default: return "formatString";
  }
}

} // namespace

Value FunctionGenerator::evaluateInterpolation(const sema::InterpolationExpression& expression, Target target,
                                               bool extendsFirst) {
  std::vector<Piece> pieces;
  for (const sema::InterpolationPart& part : expression.parts) {
    if (!part.text.empty()) pieces.push_back({.text = part.text});
    if (part.value) pieces.push_back({.value = part.value, .format = part.format});
  }
  return join(pieces, target, extendsFirst);
}

// a + b + c: the chain leans to the left.
Value FunctionGenerator::evaluateConcatenation(const sema::BinaryExpression& expression, Target target,
                                               bool extendsFirst) {
  std::vector<Piece> pieces;
  const Expression* left = &expression;
  for (; isConcatenation(*left); left = as<sema::BinaryExpression>(*left).left)
    pieces.push_back({.value = as<sema::BinaryExpression>(*left).right});
  pieces.push_back({.value = left});
  std::vector<Piece> inOrder(pieces.rbegin(), pieces.rend());
  return join(inOrder, target, extendsFirst);
}

Value FunctionGenerator::evaluatePiece(const Piece& piece, Target target) {
  if (!piece.value) {
    Value text = destinationOne(target, true);
    loadString(text.reg, piece.text);
    return text;
  }
  if (!piece.format.empty()) return formatPiece(piece, target);
  return evaluate(*piece.value, target);
}

Value FunctionGenerator::formatPiece(const Piece& piece, Target target) {
  const Type* type = concrete(piece.value->type);
  const char* name = formatFunction(type->kind);
  Value value = evaluate(*piece.value);
  if (type->isInteger() && type->kind != TypeKind::kULong)
    value = convertNumber(type, program_.simple(TypeKind::kLong), value, {});
  if (!type->isNumeric() && type->kind != TypeKind::kBool && type->kind != TypeKind::kChar)
    value = toText(type, value, {});
  Value specification = allocateOne(true);
  loadString(specification.reg, piece.format);
  CallArguments arguments;
  addArgument(arguments, value);
  addArgument(arguments, specification);
  sema::FunctionSymbol* method = libraryFunction(program_.known().find("Format"), name);
  return finishCall({.op = Op::call,
                     .target = program_.function(method, nullptr, {}, piece.value->range),
                     .resultType = program_.simple(TypeKind::kString),
                     .range = piece.value->range},
                    arguments, target);
}

// More pieces than there are registers for: a batch after the other is appended to the text so far.
Value FunctionGenerator::joinMany(std::span<const Piece> pieces, Target target) {
  Value text = allocateOne(true);
  settle(join(pieces.first(kMostPieces), {text.reg, true}, false), text.reg);
  pieces = pieces.subspan(kMostPieces);
  while (pieces.size() > kMostPieces) {
    Value next = join(pieces.first(kMostPieces), {}, false);
    builder_.emit(Op::concat, text.reg, text.reg, next.reg);
    release(next);
    pieces = pieces.subspan(kMostPieces);
  }
  Value last = join(pieces, {}, false);
  release(text);
  release(last);
  Value result = destinationOne(target, true);
  builder_.emit(Op::concat, result.reg, text.reg, last.reg);
  return result;
}

// With `extendsFirst` the first piece is likely to be long, and the rest is appended to it in place.
Value FunctionGenerator::join(std::span<const Piece> pieces, Target target, bool extendsFirst) {
  if (pieces.empty()) return evaluatePiece({}, target);
  if (pieces.size() == 1) return evaluatePiece(pieces[0], target);
  if (pieces.size() > kMostPieces) return joinMany(pieces, target);
  if (pieces.size() == 2 || extendsFirst) {
    Value first = evaluatePiece(pieces[0], {});
    Value rest = join(pieces.subspan(1), {}, false);
    release(first);
    release(rest);
    Value result = destinationOne(target, true);
    builder_.emit(Op::concat, result.reg, first.reg, rest.reg);
    return result;
  }
  absl::InlinedVector<bool, 8> kinds(pieces.size(), true);
  Value run{builder_.registers().allocate(kinds), static_cast<uint16_t>(pieces.size()), true};
  for (uint16_t i = 0; i < run.count; ++i) {
    auto reg = static_cast<uint16_t>(run.reg + i);
    settle(evaluatePiece(pieces[i], {reg, true}), reg);
  }
  release(run);
  Value result = destinationOne(target, true);
  builder_.emit(Op::concat_n, result.reg, run.reg, run.count);
  return result;
}

} // namespace nlang::codegen
