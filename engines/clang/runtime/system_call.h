/* system_call.h: system calls without the C library. Its wrappers change errno, are cancellation
 * points, and may be the program's own instrumented functions. */
#pragma once

#include <stdint.h>
#include <sys/syscall.h>

/* A result in [-4095, -1] is a negated error number. */
static inline long tare_system_call(long number, long a, long b, long c, long d, long e, long f) {
#if defined(__aarch64__)
  register long x8 __asm__("x8") = number;
  register long x0 __asm__("x0") = a;
  register long x1 __asm__("x1") = b;
  register long x2 __asm__("x2") = c;
  register long x3 __asm__("x3") = d;
  register long x4 __asm__("x4") = e;
  register long x5 __asm__("x5") = f;
  __asm__ volatile("svc #0"
                   : "+r"(x0)
                   : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
                   : "memory", "cc");
  return x0;
#elif defined(__x86_64__)
  long result;
  register long r10 __asm__("r10") = d;
  register long r8 __asm__("r8") = e;
  register long r9 __asm__("r9") = f;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                   : "rcx", "r11", "memory", "cc");
  return result;
#else
#error "Linux on x86-64 and AArch64 only"
#endif
}

static inline int tare_call_failed(long result) { return result < 0 && result >= -4095; }

#define TARE_CALL0(name) tare_system_call(SYS_##name, 0, 0, 0, 0, 0, 0)
#define TARE_CALL1(name, a) tare_system_call(SYS_##name, (long)(a), 0, 0, 0, 0, 0)
#define TARE_CALL2(name, a, b) tare_system_call(SYS_##name, (long)(a), (long)(b), 0, 0, 0, 0)
#define TARE_CALL3(name, a, b, c) \
  tare_system_call(SYS_##name, (long)(a), (long)(b), (long)(c), 0, 0, 0)
#define TARE_CALL4(name, a, b, c, d) \
  tare_system_call(SYS_##name, (long)(a), (long)(b), (long)(c), (long)(d), 0, 0)
#define TARE_CALL6(name, a, b, c, d, e, f) \
  tare_system_call(SYS_##name, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))
