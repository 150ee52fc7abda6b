# cross.cmake: toolchain for the other of the two architectures, with the Debian root that
# script/test-emulated creates as sysroot. Used by the preset `cross`; the environment variable
# TARE_CROSS_ROOT names the root.
if(CMAKE_HOST_SYSTEM_PROCESSOR STREQUAL "x86_64")
  set(CMAKE_SYSTEM_PROCESSOR aarch64)
else()
  set(CMAKE_SYSTEM_PROCESSOR x86_64)
endif()
set(CMAKE_SYSTEM_NAME Linux)
set(triplet ${CMAKE_SYSTEM_PROCESSOR}-linux-gnu)
set(CMAKE_LIBRARY_ARCHITECTURE ${triplet})
if(NOT DEFINED ENV{TARE_CROSS_ROOT})
  message(FATAL_ERROR "TARE_CROSS_ROOT is not set; script/test-emulated build sets it")
endif()
set(CMAKE_SYSROOT $ENV{TARE_CROSS_ROOT})
set(CMAKE_C_COMPILER ${triplet}-gcc)
set(CMAKE_CXX_COMPILER ${triplet}-g++)
# The build's programs run under qemu-user on the host and natively in the emulated machine.
set(CMAKE_CROSSCOMPILING_EMULATOR ${CMAKE_CURRENT_LIST_DIR}/../script/run-cross;${CMAKE_SYSTEM_PROCESSOR};${CMAKE_SYSROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${CMAKE_SYSROOT})
set(ENV{PKG_CONFIG_LIBDIR} ${CMAKE_SYSROOT}/usr/lib/${triplet}/pkgconfig:${CMAKE_SYSROOT}/usr/share/pkgconfig)
set(ENV{PKG_CONFIG_PATH} "")
# clang supports both targets, so the build must pass it the right one.
set(TARE_CLANG_TARGET --target=${triplet} --sysroot=${CMAKE_SYSROOT})
set(TARE_GCC /usr/bin/${triplet}-gcc CACHE FILEPATH "gcc for the target")
