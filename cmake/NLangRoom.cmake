# nlang_room(NAME [USES ROOM...] [LIBRARIES TARGET...])
#
# Makes the static library nlang_NAME of every .cpp below the current folder. USES names the rooms whose headers this
# one may include (what those use comes with them); LIBRARIES are outside libraries. A room without sources yet is
# given an empty one, so that it can be linked.
function(nlang_room name)
  cmake_parse_arguments(ROOM "" "" "USES;LIBRARIES" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  if(NOT sources)
    set(sources ${CMAKE_CURRENT_BINARY_DIR}/empty.cpp)
    file(GENERATE OUTPUT ${sources} CONTENT "")
  endif()
  add_library(nlang_${name} STATIC ${sources})
  target_include_directories(nlang_${name} PUBLIC ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
  list(TRANSFORM ROOM_USES PREPEND nlang_)
  target_link_libraries(nlang_${name} PUBLIC ${ROOM_USES} ${ROOM_LIBRARIES})
endfunction()
