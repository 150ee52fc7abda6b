# Turns a directory of src/ into a library, and defines the flags of every target of the project.

add_library(tare_flags INTERFACE)
target_compile_options(tare_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wnon-virtual-dtor -Wold-style-cast
  -Wimplicit-fallthrough -Werror)
# Disables fused multiply-add, so that all processors give the same digits.
target_compile_options(tare_flags INTERFACE -ffp-contract=off)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  # By default gcc frees memory whenever it uses 128 MB, which takes a tenth of its time. Without that
  # the largest compilation takes 1.2 GB instead of 1.
  target_compile_options(tare_flags INTERFACE "SHELL:--param ggc-min-heapsize=1048576")
  # gcc 12 reports false overlaps in std::string (GCC bug 105651).
  target_compile_options(tare_flags INTERFACE -Wno-restrict)
  # At -O2 gcc 12 falsely reports overruns in inlined copies of short strings (GCC bug 105329).
  target_compile_options(tare_flags INTERFACE -Wno-array-bounds -Wno-stringop-overread -Wno-stringop-overflow)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL Clang)
  # libstdc++ 12 calls a deprecated function of its own in std::stable_sort.
  target_compile_options(tare_flags INTERFACE -Wno-deprecated-declarations)
endif()
if(TARE_SANITIZE)
  target_compile_definitions(tare_flags INTERFACE TARE_SANITIZED)
  target_compile_options(tare_flags INTERFACE -fsanitize=${TARE_SANITIZE} -fno-omit-frame-pointer
                         -fno-sanitize-recover=all)
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    # The manual of -fsanitize says that it causes false warnings; here inside std::regex.
    # Headers of SimGrid and Boost use fences, which the thread sanitizer does not understand.
    if(TARE_SANITIZE MATCHES thread)
      target_compile_options(tare_flags INTERFACE -Wno-tsan)
    endif()
    # gcc 12 crashes in the pass that -fno-ipa-cp turns off.
    target_compile_options(tare_flags INTERFACE -Wno-maybe-uninitialized -fno-ipa-cp)
  endif()
  target_link_options(tare_flags INTERFACE -fsanitize=${TARE_SANITIZE})
endif()
if(TARE_FUZZ)
  target_compile_options(tare_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()

# The standard headers that nearly every file includes, compiled once. Files must still include what
# they use: `script/check analyze` compiles each header alone.
add_library(tare_precompiled STATIC ${PROJECT_SOURCE_DIR}/cmake/precompiled.cc)
target_link_libraries(tare_precompiled PRIVATE tare_flags fmt::fmt)
target_precompile_headers(tare_precompiled PRIVATE ${PROJECT_SOURCE_DIR}/cmake/precompiled.h)

# The .cc files of a library or test program are compiled together, which halves the time of a
# build: headers are read and templates are instantiated once. Names in anonymous namespaces must
# therefore be unique within a directory, except in files that are compiled alone: script/lint
# parses whole directories. script/lint --analyze parses every file alone, so that each must include
# what it uses.
set(CMAKE_UNITY_BUILD_BATCH_SIZE ${TARE_UNITY_SIZE})

# tare_library([COLD] [LINKS directories and libraries...] [ALONE files...] [EXCEPT files...]): the
# directory of src/ that calls it becomes the library tare_<path>, with "_" for "/", made of all .cc
# files in it except those of EXCEPT. A directory may link only directories that src/CMakeLists.txt adds before it. ALONE: patterns of
# files that are not compiled together with others. COLD: the library has no loop whose speed
# matters; it is compiled with -O1, which takes a quarter less time.
function(tare_library)
  cmake_parse_arguments(PARSE_ARGV 0 arg "COLD" "" "LINKS;ALONE;EXCEPT")
  cmake_path(RELATIVE_PATH CMAKE_CURRENT_SOURCE_DIR BASE_DIRECTORY ${PROJECT_SOURCE_DIR}/src
             OUTPUT_VARIABLE directory)
  string(REPLACE "/" "_" target tare_${directory})
  file(GLOB sources CONFIGURE_DEPENDS *.cc)
  foreach(file IN LISTS arg_EXCEPT)
    list(REMOVE_ITEM sources ${CMAKE_CURRENT_SOURCE_DIR}/${file})
  endforeach()
  file(GLOB headers CONFIGURE_DEPENDS *.h)
  add_library(${target} STATIC ${sources})
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${TARE_UNITY})
  if(arg_ALONE)
    file(GLOB alone CONFIGURE_DEPENDS ${arg_ALONE})
    set_source_files_properties(${alone} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  endif()
  target_sources(${target} PUBLIC FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}/src FILES ${headers})
  set_target_properties(${target} PROPERTIES VERIFY_INTERFACE_HEADER_SETS ON)
  foreach(link IN LISTS arg_LINKS)
    if(EXISTS ${PROJECT_SOURCE_DIR}/src/${link})
      string(REPLACE "/" "_" other tare_${link})
      if(NOT TARGET ${other})
        message(FATAL_ERROR "src/${directory} must not link src/${link}, which stands above it")
      endif()
      target_link_libraries(${target} PUBLIC ${other})
    else()
      target_link_libraries(${target} PUBLIC ${link})
    endif()
  endforeach()
  target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:tare_flags> fmt::fmt)
  # Not for tests: gcc 12 warns of an enumerator of an enum class that is named as a constant in
  # another test.
  target_compile_options(${target} PRIVATE -Wshadow)
  if(arg_COLD)
    target_compile_options(${target} PRIVATE -O1)
  endif()
  target_precompile_headers(${target} REUSE_FROM tare_precompiled)
  # For tests/house: the directories from the lowest layer to the highest.
  set_property(GLOBAL APPEND PROPERTY TARE_DIRECTORIES ${directory})
endfunction()
