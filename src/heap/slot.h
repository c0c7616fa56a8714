// A slot: 8 untagged bytes that hold one scalar or one reference. The compiler knows which.
//
// Values of up to 32 bits occupy the lower half, the upper half is zero; 8- and 16-bit signed values are sign-extended
// to 32 bits first. All accessors write the whole slot, so that a later 64-bit read is forwarded from the store buffer.
#pragma once

#include <bit>
#include <cstdint>

namespace nlang::heap {

struct Object;

struct Slot {
  uint64_t bits;

  int32_t i32() const { return static_cast<int32_t>(bits); }
  uint32_t u32() const { return static_cast<uint32_t>(bits); }
  int64_t i64() const { return static_cast<int64_t>(bits); }
  uint64_t u64() const { return bits; }
  float f32() const { return std::bit_cast<float>(u32()); }
  double f64() const { return std::bit_cast<double>(bits); }
  bool boolean() const { return bits != 0; }
  Object* object() const { return reinterpret_cast<Object*>(bits); }
  template <class T> T* as() const { return reinterpret_cast<T*>(bits); }

  void setI32(int32_t v) { bits = static_cast<uint32_t>(v); }
  void setU32(uint32_t v) { bits = v; }
  void setI64(int64_t v) { bits = static_cast<uint64_t>(v); }
  void setU64(uint64_t v) { bits = v; }
  void setF32(float v) { bits = std::bit_cast<uint32_t>(v); }
  void setF64(double v) { bits = std::bit_cast<uint64_t>(v); }
  void setBool(bool v) { bits = v; }
  void setObject(const void* v) { bits = reinterpret_cast<uint64_t>(v); }
};
static_assert(sizeof(Slot) == 8);

} // namespace nlang::heap
