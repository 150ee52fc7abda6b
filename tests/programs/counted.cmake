# Programs that count by hand as tare-cc makes them count, linked with its runtime. tests/programs/counted/NAME in the
# build folder; nothing when the runtime is not built.
if(NOT TARGET tare_runtime)
  return()
endif()
set(counted_folder ${folder}/counted)
get_target_property(runtime tare_runtime TARE_ARCHIVE)
file(MAKE_DIRECTORY ${counted_folder})
set(counted_outputs)

# tare_counted(NAME COMPILER SOURCE [FLAGS and libraries...])
function(tare_counted name compiler source)
  set(output ${counted_folder}/${name})
  set(libraries ${ARGN})
  list(FILTER libraries INCLUDE REGEX "\\.so$")
  add_custom_command(OUTPUT ${output}
    COMMAND ${compiler} -std=gnu11 -O1 -g -Wall -Wextra -Werror -I${PROJECT_SOURCE_DIR}/src
            ${CMAKE_CURRENT_SOURCE_DIR}/${source}.c ${ARGN} ${runtime} -o ${output} -lpthread
    DEPENDS ${source}.c ${libraries} counted.h ${PROJECT_SOURCE_DIR}/src/format/counters_wire.h ${runtime} tare_runtime VERBATIM)
  set(counted_outputs ${counted_outputs} ${output} PARENT_SCOPE)
endfunction()

foreach(name endings threads children surroundings signals loading)
  tare_counted(${name} ${TARE_CLANG} counted_${name})
endforeach()
tare_counted(library.so ${TARE_CLANG} counted_library -shared -fPIC)
tare_counted(linked ${TARE_CLANG} counted_linked ${counted_folder}/library.so)
tare_counted(endings-static ${TARE_CLANG} counted_endings -static)
tare_counted(endings-fixed ${TARE_CLANG} counted_endings -no-pie -fno-pie)
find_program(TARE_GCC gcc)
if(TARE_GCC)
  tare_counted(endings-gcc ${TARE_GCC} counted_endings)
  tare_counted(children-static ${TARE_GCC} counted_children -static)
  tare_counted(functions ${TARE_GCC} counted_functions -finstrument-functions)
endif()
add_custom_target(tare_counted_programs DEPENDS ${counted_outputs})
target_compile_definitions(format_test PRIVATE TARE_COUNTED_PROGRAMS="${counted_folder}")
add_dependencies(format_test tare_counted_programs)
