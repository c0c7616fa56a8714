# Libraries from Debian 12; docs/dependencies.md says what each is for. utf8proc, xxHash and RE2 bring no CMake files.
find_package(fmt REQUIRED)
find_package(CLI11 REQUIRED)
find_package(absl REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(simdjson REQUIRED)

function(nlang_plain_library target library header)
  find_library(NLANG_LIBRARY_${library} ${library} REQUIRED)
  find_path(NLANG_HEADER_${library} ${header} REQUIRED)
  add_library(${target} INTERFACE IMPORTED GLOBAL)
  set_target_properties(${target} PROPERTIES
    INTERFACE_LINK_LIBRARIES "${NLANG_LIBRARY_${library}}"
    INTERFACE_INCLUDE_DIRECTORIES "${NLANG_HEADER_${library}}")
endfunction()

nlang_plain_library(utf8proc::utf8proc utf8proc utf8proc.h)
nlang_plain_library(xxhash::xxhash xxhash xxhash.h)
nlang_plain_library(re2::re2 re2 re2/re2.h)

if(NLANG_TESTS)
  find_package(GTest REQUIRED)
endif()
if(NLANG_BENCH)
  find_package(benchmark REQUIRED)
endif()
