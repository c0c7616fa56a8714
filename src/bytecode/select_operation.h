// The operations of a select's branches, as the code generator names them to the native behind the statement.
#pragma once

#include <cstdint>

namespace nlang::bytecode {

enum class SelectOperation : uint8_t { kReceive, kSend, kGet, kTimeout };

} // namespace nlang::bytecode
