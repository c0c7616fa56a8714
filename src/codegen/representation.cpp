// Which opcodes serve which type.
#include "codegen/representation.h"

namespace nlang::codegen {

using bytecode::Op;
using bytecode::StorageKind;
using sema::TypeKind;

Family familyOf(const sema::Type* type) {
  switch (type->kind) {
  case TypeKind::kVoid: return Family::kVoid;
  case TypeKind::kUInt: return Family::kU32;
  case TypeKind::kLong: return Family::kI64;
  case TypeKind::kULong: return Family::kU64;
  case TypeKind::kFloat: return Family::kF32;
  case TypeKind::kDouble: return Family::kF64;
  case TypeKind::kString: return Family::kString;
  case TypeKind::kStruct: return Family::kStruct;
  case TypeKind::kNull:
  case TypeKind::kClass:
  case TypeKind::kInterface:
  case TypeKind::kArray:
  case TypeKind::kFunction: return Family::kReference;
  default: return Family::kI32;
  }
}

StorageKind storageOf(const sema::Type* type) {
  switch (type->kind) {
  case TypeKind::kBool:
  case TypeKind::kUByte: return StorageKind::kU8;
  case TypeKind::kByte: return StorageKind::kI8;
  case TypeKind::kShort: return StorageKind::kI16;
  case TypeKind::kUShort: return StorageKind::kU16;
  case TypeKind::kLong:
  case TypeKind::kULong:
  case TypeKind::kDouble: return StorageKind::k64;
  case TypeKind::kString: return StorageKind::kReference;
  default: return type->isReference() ? StorageKind::kReference : StorageKind::k32;
  }
}

namespace {

// One row a storage kind, in the order of StorageKind.
struct MemoryOps {
  Op fieldLoad, fieldStore, arrayLoad, arrayStore, listLoad, listStore;
};
constexpr MemoryOps kMemoryOps[] = {
    {Op::get_i8, Op::set_8, Op::array_get_i8, Op::array_set_8, Op::list_get_i8, Op::list_set_8},
    {Op::get_u8, Op::set_8, Op::array_get_u8, Op::array_set_8, Op::list_get_u8, Op::list_set_8},
    {Op::get_i16, Op::set_16, Op::array_get_i16, Op::array_set_16, Op::list_get_i16, Op::list_set_16},
    {Op::get_u16, Op::set_16, Op::array_get_u16, Op::array_set_16, Op::list_get_u16, Op::list_set_16},
    {Op::get_32, Op::set_32, Op::array_get_32, Op::array_set_32, Op::list_get_32, Op::list_set_32},
    {Op::get_64, Op::set_64, Op::array_get_64, Op::array_set_64, Op::list_get_64, Op::list_set_64},
    {Op::get_ref, Op::set_ref, Op::array_get_ref, Op::array_set_ref, Op::list_get_ref, Op::list_set_ref},
};
const MemoryOps& ops(StorageKind kind) { return kMemoryOps[static_cast<unsigned>(kind)]; }

} // namespace

Op fieldLoad(StorageKind kind) { return ops(kind).fieldLoad; }
Op fieldStore(StorageKind kind) { return ops(kind).fieldStore; }
Op arrayLoad(StorageKind kind) { return ops(kind).arrayLoad; }
Op arrayStore(StorageKind kind) { return ops(kind).arrayStore; }
Op listLoad(StorageKind kind) { return ops(kind).listLoad; }
Op listStore(StorageKind kind) { return ops(kind).listStore; }

} // namespace nlang::codegen
