#include "object/kinds.h"

#include "object/dict.h"
#include "object/layout.h"
#include "object/list.h"
#include "object/string.h"
#include "object/string_builder.h"

namespace nlang::object {

void registerObjectKinds(heap::ClassTable& classes) {
  using Kind = bytecode::ClassKind;
  // Sizes and reference offsets of the first four come from each class's definition.
  for (Kind kind : {Kind::kPlain, Kind::kException, Kind::kClosure, Kind::kBox})
    classes.registerKind(kind, heap::traceFields, 0);
  classes.registerKind(Kind::kString, traceString, sizeof(String));
  classes.registerKind(Kind::kTextBuffer, nullptr, sizeof(TextBuffer));
  classes.registerKind(Kind::kStringBuilder, traceStringBuilder, sizeof(StringBuilder));
  classes.registerKind(Kind::kArray, traceArray, sizeof(Array));
  classes.registerKind(Kind::kList, traceList, sizeof(List));
  classes.registerKind(Kind::kDict, traceDict, sizeof(Dict));
  classes.registerKind(Kind::kSet, traceDict, sizeof(Dict));
  classes.registerKind(Kind::kTable, traceTable, sizeof(Table));
}

} // namespace nlang::object
