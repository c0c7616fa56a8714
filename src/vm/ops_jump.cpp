// Jumps and loops. A loop instruction is the back-edge: it uses one unit of quota and is a safepoint.
#include "vm/dispatch.h"

namespace nlang::vm {

NLANG_OP(jump) { NEXT(pc + SIMM_BC); }
NLANG_OP(jump_true) {
  if (RA.boolean()) NEXT(pc + SIMM_BC);
  NEXT(pc + 1);
}
NLANG_OP(jump_false) {
  if (!RA.boolean()) NEXT(pc + SIMM_BC);
  NEXT(pc + 1);
}
NLANG_OP(jump_null) {
  if (RA.bits == 0) NEXT(pc + SIMM_BC);
  NEXT(pc + 1);
}
NLANG_OP(jump_not_null) {
  if (RA.bits != 0) NEXT(pc + SIMM_BC);
  NEXT(pc + 1);
}

#define JUMP_IF(name, condition)                                                                                       \
  NLANG_OP(name) {                                                                                                     \
    if (condition) NEXT(pc + SIMM_C);                                                                                  \
    NEXT(pc + 1);                                                                                                      \
  }
JUMP_IF(jeq_i32, RA.i32() == RB.i32())
JUMP_IF(jne_i32, RA.i32() != RB.i32())
JUMP_IF(jlt_i32, RA.i32() < RB.i32())
JUMP_IF(jle_i32, RA.i32() <= RB.i32())
JUMP_IF(jeqi_i32, RA.i32() == SIMM_B)
JUMP_IF(jnei_i32, RA.i32() != SIMM_B)
JUMP_IF(jlti_i32, RA.i32() < SIMM_B)
JUMP_IF(jlei_i32, RA.i32() <= SIMM_B)
JUMP_IF(jgti_i32, RA.i32() > SIMM_B)
JUMP_IF(jgei_i32, RA.i32() >= SIMM_B)
JUMP_IF(jeq_i64, RA.i64() == RB.i64())
JUMP_IF(jne_i64, RA.i64() != RB.i64())
JUMP_IF(jlt_i64, RA.i64() < RB.i64())
JUMP_IF(jle_i64, RA.i64() <= RB.i64())
JUMP_IF(jlt_f64, RA.f64() < RB.f64())
JUMP_IF(jle_f64, RA.f64() <= RB.f64())
JUMP_IF(jnlt_f64, !(RA.f64() < RB.f64()))
JUMP_IF(jnle_f64, !(RA.f64() <= RB.f64()))

NLANG_OP(jump_table) {
  uint32_t i = RA.u32();
  if (i < B) NEXT(pc + static_cast<int32_t>(pc[1 + i]));
  NEXT(pc + 1 + B);
}

#define USE_QUOTA()                                                                                                    \
  if (--quota < 0) [[unlikely]]                                                                                        \
  SLOW(quotaUsedUp)

NLANG_OP(loop) {
  USE_QUOTA();
  NEXT(pc + SIMM_BC);
}
NLANG_OP(loop_true) {
  USE_QUOTA();
  if (RA.boolean()) NEXT(pc + SIMM_BC);
  NEXT(pc + 1);
}
NLANG_OP(loop_false) {
  USE_QUOTA();
  if (!RA.boolean()) NEXT(pc + SIMM_BC);
  NEXT(pc + 1);
}

#define LOOP_IF(name, condition)                                                                                       \
  NLANG_OP(name) {                                                                                                     \
    USE_QUOTA();                                                                                                       \
    if (condition) NEXT(pc + SIMM_C);                                                                                  \
    NEXT(pc + 1);                                                                                                      \
  }
LOOP_IF(loop_lt_i32, RA.i32() < RB.i32())
LOOP_IF(loop_le_i32, RA.i32() <= RB.i32())
LOOP_IF(loop_lti_i32, RA.i32() < SIMM_B)
LOOP_IF(loop_lt_i64, RA.i64() < RB.i64())

#define FOR_LESS(name, bound)                                                                                          \
  NLANG_OP(name) {                                                                                                     \
    USE_QUOTA();                                                                                                       \
    int32_t i = static_cast<int32_t>(RA.u32() + 1);                                                                    \
    RA.setI32(i);                                                                                                      \
    if (i < (bound)) NEXT(pc + SIMM_C);                                                                                \
    NEXT(pc + 1);                                                                                                      \
  }
FOR_LESS(for_lt_i32, RB.i32())
FOR_LESS(for_lti_i32, SIMM_B)

} // namespace nlang::vm
