# Compiler settings that hold for the whole tree.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CXX_SCAN_FOR_MODULES OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)

# Heap memory is seen as words, as headers and as the structures of objects, so no type-based aliasing.
add_compile_options(-Wall -Wextra -Werror -fno-strict-aliasing)
# g++ 12 warns of overlapping copies inside its own std::string when a literal is joined to one (its bug 105651).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options(-Wno-restrict)
endif()

if(NLANG_COVERAGE)
  add_compile_definitions(NLANG_COVERAGE)
endif()
if(NLANG_PLANTED_FAULTS)
  add_compile_definitions(NLANG_PLANTED_FAULTS)
endif()

if(NLANG_SANITIZE)
  add_compile_options(-fsanitize=${NLANG_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${NLANG_SANITIZE})
endif()

# libFuzzer sees only what is compiled for it: without this a target knows nothing of the paths through the libraries.
if(NLANG_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

find_program(NLANG_CCACHE ccache)
if(NLANG_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${NLANG_CCACHE})
endif()

# lld links the test executables several times faster than bfd; g++ does not find the versioned name.
find_program(NLANG_LLD ld.lld-19)
if(NLANG_LLD AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  add_link_options(-fuse-ld=lld)
endif()

find_package(Threads REQUIRED)
