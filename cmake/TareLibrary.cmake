# How a folder of src/ becomes a library, and the rules that every target of the project keeps.

add_library(tare_flags INTERFACE)
target_compile_options(tare_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor -Wold-style-cast
  -Wimplicit-fallthrough -Werror)
# A multiplication and an addition are never fused, so that all processors give the same digits.
target_compile_options(tare_flags INTERFACE -ffp-contract=off)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  # gcc 12 sees overlaps in its own std::string that are not there (GCC bug 105651).
  target_compile_options(tare_flags INTERFACE -Wno-restrict)
endif()
if(TARE_SANITIZE)
  target_compile_options(tare_flags INTERFACE -fsanitize=${TARE_SANITIZE} -fno-omit-frame-pointer
                         -fno-sanitize-recover=all)
  target_link_options(tare_flags INTERFACE -fsanitize=${TARE_SANITIZE})
endif()
if(TARE_FUZZ)
  target_compile_options(tare_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()

# tare_library(RANK n [LINKS folders and libraries...]): the folder that calls it becomes the library tare_<folder>,
# made of all .cc files in it. Its rank says who may use it: a folder includes and links folders of lower rank only.
function(tare_library)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "RANK" "LINKS")
  cmake_path(GET CMAKE_CURRENT_SOURCE_DIR FILENAME folder)
  set(target tare_${folder})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS *.cc)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS *.h)
  add_library(${target} STATIC ${sources})
  target_sources(${target} PUBLIC FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}/src FILES ${headers})
  set_target_properties(${target} PROPERTIES TARE_RANK ${arg_RANK} VERIFY_INTERFACE_HEADER_SETS ON)
  set_property(GLOBAL APPEND PROPERTY TARE_RANKS "${folder}=${arg_RANK}")
  foreach(link IN LISTS arg_LINKS)
    if(TARGET tare_${link})
      get_target_property(other tare_${link} TARE_RANK)
      if(NOT other LESS arg_RANK)
        message(FATAL_ERROR "src/${folder} (rank ${arg_RANK}) must not link src/${link} (rank ${other})")
      endif()
      target_link_libraries(${target} PUBLIC tare_${link})
    else()
      target_link_libraries(${target} PUBLIC ${link})
    endif()
  endforeach()
  target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:tare_flags>)
endfunction()
