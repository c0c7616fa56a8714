// Moves, constants, arithmetic, comparisons, conversions. Integers wrap: operations are done unsigned.
#include <cmath>
#include <limits>
#include <type_traits>

#include "vm/dispatch.h"

namespace nlang::vm {

namespace {

template <class T> T saturate(double v) {
  // 2^digits is exact in double; comparing with it avoids the rounding of the largest value.
  constexpr int digits = std::numeric_limits<T>::digits;
  if (!(v == v)) return 0;
  if (v >= std::ldexp(1.0, digits)) return std::numeric_limits<T>::max();
  if constexpr (std::is_signed_v<T>) {
    if (v < -std::ldexp(1.0, digits)) return std::numeric_limits<T>::min();
  } else if (v <= 0) {
    return 0;
  }
  return static_cast<T>(v);
}

} // namespace

NLANG_OP(move) {
  RA = RB;
  NEXT(pc + 1);
}
NLANG_OP(const_u32) {
  RA.setU64(UIMM_BC);
  NEXT(pc + 1);
}
NLANG_OP(const_i64) {
  RA.setI64(SIMM_BC);
  NEXT(pc + 1);
}
NLANG_OP(const_pool) {
  RA = ca->constants[UIMM_BC];
  NEXT(pc + 1);
}
NLANG_OP(null) {
  RA.bits = 0;
  NEXT(pc + 1);
}

#define BINARY(name, set, expression)                                                                                  \
  NLANG_OP(name) {                                                                                                     \
    RA.set(expression);                                                                                                \
    NEXT(pc + 1);                                                                                                      \
  }

BINARY(add_i32, setU32, RB.u32() + RC.u32())
BINARY(sub_i32, setU32, RB.u32() - RC.u32())
BINARY(mul_i32, setU32, RB.u32() * RC.u32())
BINARY(neg_i32, setU32, 0 - RB.u32())
BINARY(not_i32, setU32, ~RB.u32())
BINARY(and_i32, setU32, RB.u32() & RC.u32())
BINARY(or_i32, setU32, RB.u32() | RC.u32())
BINARY(xor_i32, setU32, RB.u32() ^ RC.u32())
BINARY(shl_i32, setU32, RB.u32() << (RC.u32() & 31))
BINARY(shr_i32, setI32, RB.i32() >> (RC.u32() & 31))
BINARY(ushr_i32, setU32, RB.u32() >> (RC.u32() & 31))
BINARY(addi_i32, setU32, RB.u32() + static_cast<uint32_t>(static_cast<int32_t>(SIMM_C)))
BINARY(muli_i32, setU32, RB.u32() * static_cast<uint32_t>(static_cast<int32_t>(SIMM_C)))
BINARY(andi_i32, setU32, RB.u32() & static_cast<uint32_t>(static_cast<int32_t>(SIMM_C)))
BINARY(shli_i32, setU32, RB.u32() << (C & 31))
BINARY(shri_i32, setI32, RB.i32() >> (C & 31))
BINARY(ushri_i32, setU32, RB.u32() >> (C & 31))
BINARY(divi_i32, setI32, RB.i32() / SIMM_C)
BINARY(remi_i32, setI32, RB.i32() % SIMM_C)
BINARY(not_bool, setBool, !RB.boolean())
BINARY(add_i64, setU64, RB.u64() + RC.u64())
BINARY(sub_i64, setU64, RB.u64() - RC.u64())
BINARY(mul_i64, setU64, RB.u64() * RC.u64())
BINARY(neg_i64, setU64, 0 - RB.u64())
BINARY(not_i64, setU64, ~RB.u64())
BINARY(and_i64, setU64, RB.u64() & RC.u64())
BINARY(or_i64, setU64, RB.u64() | RC.u64())
BINARY(xor_i64, setU64, RB.u64() ^ RC.u64())
BINARY(shl_i64, setU64, RB.u64() << (RC.u32() & 63))
BINARY(shr_i64, setI64, RB.i64() >> (RC.u32() & 63))
BINARY(ushr_i64, setU64, RB.u64() >> (RC.u32() & 63))
BINARY(addi_i64, setU64, RB.u64() + static_cast<uint64_t>(static_cast<int64_t>(SIMM_C)))
BINARY(add_f64, setF64, RB.f64() + RC.f64())
BINARY(sub_f64, setF64, RB.f64() - RC.f64())
BINARY(mul_f64, setF64, RB.f64() * RC.f64())
BINARY(div_f64, setF64, RB.f64() / RC.f64())
BINARY(rem_f64, setF64, std::fmod(RB.f64(), RC.f64()))
BINARY(neg_f64, setF64, -RB.f64())
BINARY(add_f32, setF32, RB.f32() + RC.f32())
BINARY(sub_f32, setF32, RB.f32() - RC.f32())
BINARY(mul_f32, setF32, RB.f32() * RC.f32())
BINARY(div_f32, setF32, RB.f32() / RC.f32())
BINARY(rem_f32, setF32, std::fmod(RB.f32(), RC.f32()))
BINARY(neg_f32, setF32, -RB.f32())

// The least integer divided by -1 is itself (and traps in hardware); its remainder is 0.
#define DIVISION(name, set, get, whenMinusOne, operation)                                                              \
  NLANG_OP(name) {                                                                                                     \
    auto divisor = RC.get();                                                                                           \
    if (divisor == 0) [[unlikely]]                                                                                     \
      SLOW(divisionFault);                                                                                             \
    auto dividend = RB.get();                                                                                          \
    RA.set(divisor == -1 ? whenMinusOne : dividend operation divisor);                                                 \
    NEXT(pc + 1);                                                                                                      \
  }
DIVISION(div_i32, setI32, i32, static_cast<int32_t>(0 - static_cast<uint32_t>(dividend)), /)
DIVISION(rem_i32, setI32, i32, 0, %)
DIVISION(div_i64, setI64, i64, static_cast<int64_t>(0 - static_cast<uint64_t>(dividend)), /)
DIVISION(rem_i64, setI64, i64, 0, %)

#define UNSIGNED_DIVISION(name, set, get, operation)                                                                   \
  NLANG_OP(name) {                                                                                                     \
    auto divisor = RC.get();                                                                                           \
    if (divisor == 0) [[unlikely]]                                                                                     \
      SLOW(divisionFault);                                                                                             \
    RA.set(RB.get() operation divisor);                                                                                \
    NEXT(pc + 1);                                                                                                      \
  }
UNSIGNED_DIVISION(div_u32, setU32, u32, /)
UNSIGNED_DIVISION(rem_u32, setU32, u32, %)
UNSIGNED_DIVISION(div_u64, setU64, u64, /)
UNSIGNED_DIVISION(rem_u64, setU64, u64, %)

BINARY(eq_i32, setBool, RB.i32() == RC.i32())
BINARY(ne_i32, setBool, RB.i32() != RC.i32())
BINARY(lt_i32, setBool, RB.i32() < RC.i32())
BINARY(le_i32, setBool, RB.i32() <= RC.i32())
BINARY(lt_u32, setBool, RB.u32() < RC.u32())
BINARY(le_u32, setBool, RB.u32() <= RC.u32())
BINARY(eq_i64, setBool, RB.i64() == RC.i64())
BINARY(ne_i64, setBool, RB.i64() != RC.i64())
BINARY(lt_i64, setBool, RB.i64() < RC.i64())
BINARY(le_i64, setBool, RB.i64() <= RC.i64())
BINARY(lt_u64, setBool, RB.u64() < RC.u64())
BINARY(le_u64, setBool, RB.u64() <= RC.u64())
BINARY(eq_f64, setBool, RB.f64() == RC.f64())
BINARY(ne_f64, setBool, RB.f64() != RC.f64())
BINARY(lt_f64, setBool, RB.f64() < RC.f64())
BINARY(le_f64, setBool, RB.f64() <= RC.f64())
BINARY(eq_f32, setBool, RB.f32() == RC.f32())
BINARY(ne_f32, setBool, RB.f32() != RC.f32())
BINARY(lt_f32, setBool, RB.f32() < RC.f32())
BINARY(le_f32, setBool, RB.f32() <= RC.f32())
BINARY(eq_ref, setBool, RB.bits == RC.bits)
BINARY(ne_ref, setBool, RB.bits != RC.bits)

BINARY(i32_to_i64, setI64, RB.i32())
BINARY(i64_to_i32, setU32, static_cast<uint32_t>(RB.u64()))
BINARY(to_i8, setI32, static_cast<int8_t>(RB.u32()))
BINARY(to_u8, setU32, static_cast<uint8_t>(RB.u32()))
BINARY(to_i16, setI32, static_cast<int16_t>(RB.u32()))
BINARY(to_u16, setU32, static_cast<uint16_t>(RB.u32()))
BINARY(i32_to_f64, setF64, RB.i32())
BINARY(i64_to_f64, setF64, static_cast<double>(RB.i64()))
BINARY(u64_to_f64, setF64, static_cast<double>(RB.u64()))
BINARY(i32_to_f32, setF32, static_cast<float>(RB.i32()))
BINARY(i64_to_f32, setF32, static_cast<float>(RB.i64()))
BINARY(u64_to_f32, setF32, static_cast<float>(RB.u64()))
BINARY(f32_to_f64, setF64, RB.f32())
BINARY(f64_to_f32, setF32, static_cast<float>(RB.f64()))
BINARY(f64_to_i32, setI32, saturate<int32_t>(RB.f64()))
BINARY(f64_to_u32, setU32, saturate<uint32_t>(RB.f64()))
BINARY(f64_to_i64, setI64, saturate<int64_t>(RB.f64()))
BINARY(f64_to_u64, setU64, saturate<uint64_t>(RB.f64()))

NLANG_OP(saturate_i32) {
  static constexpr int32_t low[] = {-128, 0, -32768, 0};
  static constexpr int32_t high[] = {127, 255, 32767, 65535};
  int32_t v = RB.i32();
  RA.setI32(v < low[C & 3] ? low[C & 3] : v > high[C & 3] ? high[C & 3] : v);
  NEXT(pc + 1);
}

} // namespace nlang::vm
