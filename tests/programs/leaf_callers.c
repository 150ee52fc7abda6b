// leaf_callers.c: most of the time is spent in a function without a frame, three quarters of it
// called from one function and a quarter from another; the rest in a function that has a frame.
// leaf_callers [TURNS]; 1000 turns take about 50 ms. Built with -fno-omit-frame-pointer
// -momit-leaf-frame-pointer.
#include <stdint.h>
#include <stdlib.h>

static volatile uint64_t sink;

static uint64_t state = 1;

static uint64_t random_bits(void) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return state >> 33;
}

__attribute__((noinline, aligned(64))) uint64_t leaf(uint64_t turns) {
  uint64_t value = turns | 1;
  for (uint64_t i = 0; i < turns; ++i) {
    value = value * 6364136223846793005u + 1442695040888963407u;
    __asm__ volatile("" : "+r"(value));
  }
  return value;
}

// Each has a frame, and does something after the call, so that the call is not a jump.
__attribute__((noinline, aligned(64))) void calls_thrice(uint64_t turns) {
  sink = leaf(3 * turns) + 1;
}
__attribute__((noinline, aligned(64))) void calls_once(uint64_t turns) { sink = leaf(turns) + 2; }

// With its frame set up it calls leaf from a part under another name, framed_part, as compilers put
// cold code elsewhere, and then works on: the link register has an address in framed_part, which is
// not a caller.
void framed(uint64_t turns);
#if defined(__aarch64__)
__asm__(
    ".text\n.balign 64\n.globl framed\n.type framed, %function\nframed:\n.cfi_startproc\n"
    "stp x29, x30, [sp, -16]!\n.cfi_def_cfa_offset 16\n.cfi_offset 29, -16\n.cfi_offset 30, -8\n"
    "mov x29, sp\nmov x9, x0\nmov x0, 1\nb framed_part\n"
    ".Lworks:\nmadd x0, x0, x0, x9\nsubs x9, x9, 1\nb.ne .Lworks\n"
    "ldp x29, x30, [sp], 16\n.cfi_restore 30\n.cfi_restore 29\n.cfi_def_cfa_offset 0\nret\n"
    ".cfi_endproc\n.size framed, .-framed\n"
    ".type framed_part, %function\nframed_part:\n.cfi_startproc\n"
    ".cfi_def_cfa_offset 16\n.cfi_offset 29, -16\n.cfi_offset 30, -8\n"
    "str x9, [sp, -16]!\nmov x0, 0\nbl leaf\nldr x9, [sp], 16\nb .Lworks\n"
    ".cfi_endproc\n.size framed_part, .-framed_part\n");
#elif defined(__x86_64__)
__asm__(
    ".text\n.balign 64\n.globl framed\n.type framed, @function\nframed:\n.cfi_startproc\n"
    "pushq %rbp\n.cfi_def_cfa_offset 16\n.cfi_offset 6, -16\nmovq %rsp, %rbp\n"
    ".cfi_def_cfa_register 6\npushq %rbx\nsubq $8, %rsp\n.cfi_offset 3, -24\nmovq %rdi, %rbx\n"
    "jmp framed_part\n"
    ".Lworks:\nimulq %rax, %rax\naddq %rbx, %rax\nsubq $1, %rbx\njne .Lworks\n"
    "movq -8(%rbp), %rbx\nleave\n.cfi_restore 3\n.cfi_restore 6\n.cfi_def_cfa 7, 8\nret\n"
    ".cfi_endproc\n.size framed, .-framed\n"
    ".type framed_part, @function\nframed_part:\n.cfi_startproc\n"
    ".cfi_def_cfa 6, 16\n.cfi_offset 6, -16\n.cfi_offset 3, -24\n"
    "xorl %edi, %edi\ncall leaf\nmovl $1, %eax\njmp .Lworks\n"
    ".cfi_endproc\n.size framed_part, .-framed_part\n");
#endif

int main(int count, char** arguments) {
  const long turns = count > 1 ? atol(arguments[1]) : 1000;
  for (long i = 0; i < turns; ++i) {
    // Of random length and in random order: not in step with a timer.
    const uint64_t length = 2000 + random_bits() % 10000;
    if (random_bits() % 2) {
      calls_thrice(length);
      calls_once(length);
    } else {
      calls_once(length);
      calls_thrice(length);
    }
    framed(length + 1);
  }
  return 0;
}
