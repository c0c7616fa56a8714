// Strings: joining, texts of scalars, bytes and code points.
#include "base/utf8.h"
#include "object/equality.h"
#include "object/layout.h"
#include "object/number_text.h"
#include "object/string.h"
#include "vm/dispatch.h"
#include "vm/faults.h"
#include "vm/vm.h"

namespace nlang::vm {

using object::String;

namespace {

bool tooLong(const Slot* texts, uint32_t count) {
  uint64_t length = 0;
  for (uint32_t i = 0; i < count; ++i) length += object::lengthOf(texts[i].as<String>());
  return length > object::kMaxStringLength;
}

bool allEmpty(const Slot* texts, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    if (object::lengthOf(texts[i].as<String>()) != 0) return false;
  }
  return true;
}

// Joins into `to`. False: no memory, or longer than strings can be.
bool join(Carrier* ca, const Instruction* pc, Slot* r, Slot& to, const Slot* texts, uint32_t count) {
  saveContext(ca, pc, r);
  String* joined = object::concat(*ca->heap, ca->allocator, texts, count);
  if (joined == nullptr && !allEmpty(texts, count)) return false;
  to.setObject(joined);
  return true;
}

bool makeText(Carrier* ca, const Instruction* pc, Slot* r, Slot& to, std::string_view text) {
  saveContext(ca, pc, r);
  String* made = object::newString(*ca->heap, ca->allocator, text);
  to.setObject(made);
  return made != nullptr || text.empty();
}

bool numberText(Carrier* ca, const Instruction* pc, Slot* r, Slot& to, object::NumberText text) {
  return makeText(ca, pc, r, to, text.view());
}

} // namespace

NLANG_OP(concat) {
  Slot texts[2] = {RB, RC};
  if (!join(ca, pc, r, RA, texts, 2)) {
    if (tooLong(texts, 2)) SLOW(tooLongFault);
    SLOW(memoryFault);
  }
  NEXT(pc + 1);
}

NLANG_OP(concat_n) {
  if (!join(ca, pc, r, RA, &RB, C)) {
    if (tooLong(&RB, C)) SLOW(tooLongFault);
    SLOW(memoryFault);
  }
  NEXT(pc + 1);
}

#define TO_TEXT(name, expression)                                                                                      \
  NLANG_OP(name) {                                                                                                     \
    if (!numberText(ca, pc, r, RA, expression)) SLOW(memoryFault);                                                     \
    NEXT(pc + 1);                                                                                                      \
  }
TO_TEXT(i32_to_text, object::NumberText::ofLong(RB.i32()))
TO_TEXT(i64_to_text, object::NumberText::ofLong(RB.i64()))
TO_TEXT(u64_to_text, object::NumberText::ofULong(RB.u64()))
TO_TEXT(f64_to_text, object::NumberText::ofDouble(RB.f64()))
TO_TEXT(f32_to_text, object::NumberText::ofFloat(RB.f32()))
TO_TEXT(char_to_text, object::NumberText::ofChar(RB.u32()))

NLANG_OP(bool_to_text) {
  if (!makeText(ca, pc, r, RA, RB.boolean() ? "true" : "false")) SLOW(memoryFault);
  NEXT(pc + 1);
}

static bool enumText(Carrier* ca, const Instruction* pc, Slot* r, Slot& to, int32_t value, const heap::Class& cls) {
  for (const bytecode::EnumMember& member : cls.definition->members) {
    if (member.value == value) return makeText(ca, pc, r, to, member.name);
  }
  return numberText(ca, pc, r, to, object::NumberText::ofLong(value));
}
NLANG_OP(enum_to_text) {
  if (!enumText(ca, pc, r, RA, RB.i32(), *ca->classes[C])) SLOW(memoryFault);
  NEXT(pc + 1);
}

NLANG_OP(string_length) {
  RA.setU32(object::lengthOf(RB.as<String>()));
  NEXT(pc + 1);
}

NLANG_OP(string_byte) {
  const String* s = RB.as<String>();
  uint32_t index = RC.u32();
  if (index >= object::lengthOf(s)) [[unlikely]] {
    ca->faultIndex = index;
    ca->faultLength = object::lengthOf(s);
    SLOW(boundsFault);
  }
  RA.setU32(static_cast<uint8_t>(object::bytes(s)[index]));
  NEXT(pc + 1);
}

NLANG_OP(string_next) {
  std::string_view text = object::bytes(RB.as<String>());
  uint32_t offset = RC.u32();
  base::Decoded decoded = base::decodeUtf8(text, offset);
  RC.setU32(offset + decoded.length);
  RA.setU32(decoded.value);
  NEXT(pc + 1);
}

NLANG_OP(eq_string) {
  RA.setBool(object::equal(RB.as<String>(), RC.as<String>()));
  NEXT(pc + 1);
}
NLANG_OP(cmp_string) {
  RA.setI32(object::compare(RB.as<String>(), RC.as<String>()));
  NEXT(pc + 1);
}

NLANG_OP(eq_object) {
  RA.setBool(object::sameValue(*ca->heap, RB.object(), RC.object()));
  NEXT(pc + 1);
}

} // namespace nlang::vm
