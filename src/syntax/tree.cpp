#include "syntax/tree.h"

namespace nlang::syntax {

const char* nameOf(NodeKind kind) {
  constexpr const char* kNames[] = {
#define NL_NODE(name) #name,
#include "syntax/node_kinds.def"
#undef NL_NODE
  };
  return kNames[static_cast<std::size_t>(kind)];
}

const char* nameOf(Primitive primitive) {
  constexpr const char* kNames[] = {"void", "bool", "byte",  "ubyte", "short",  "ushort", "int",
                                    "uint", "long", "ulong", "float", "double", "char",   "string"};
  return kNames[static_cast<std::size_t>(primitive)];
}

const char* textOf(AssignOp op) {
  constexpr const char* kTexts[] = {"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", ">>>="};
  return kTexts[static_cast<std::size_t>(op)];
}

const char* textOf(UnaryOp op) {
  constexpr const char* kTexts[] = {"-", "!", "~"};
  return kTexts[static_cast<std::size_t>(op)];
}

const char* textOf(BinaryOp op) {
  constexpr const char* kTexts[] = {
      "*", "/", "%", "+", "-", "<<", ">>", ">>>", "<", "<=", ">", ">=", "==", "!=", "&", "^", "|", "&&", "||", "??"};
  return kTexts[static_cast<std::size_t>(op)];
}

} // namespace nlang::syntax
