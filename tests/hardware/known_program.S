// known_program.S: an AArch64 program whose every instruction is known.
//
// argc selects the work:
//   1  one loop
//   2  a child process with the same loop, waited for
//   3  a second thread with the same loop
//   4  one loop of 40 times the length
// A loop has 1,000,000 iterations of four instructions.

        .equ SIGCHLD, 17
        .equ CLONE_THREAD_FLAGS, 0x50f00        // VM, FS, FILES, SIGHAND, THREAD, SYSVSEM
        .equ EXIT, 93
        .equ CLONE, 220
        .equ WAIT4, 260

        .text
        .globl _start
_start:
        ldr     x20, [sp]
        mov     x19, #0x4240                    // 1,000,000
        movk    x19, #0xf, lsl #16
        cmp     x20, #2
        b.lt    loop
        b.eq    with_child
        cmp     x20, #3
        b.eq    with_thread
        mov     x1, #40
        mul     x19, x19, x1
        b       loop
with_child:
        mov     x0, #SIGCHLD
        b       start_another
with_thread:
        mov     x0, #(CLONE_THREAD_FLAGS & 0xffff)
        movk    x0, #(CLONE_THREAD_FLAGS >> 16), lsl #16
start_another:
        mov     x1, #0                          // neither uses the stack
        mov     x2, #0
        mov     x3, #0
        mov     x4, #0
        mov     x8, #CLONE
        svc     #0
        mov     x21, x0
        cmp     x20, #3
        b.eq    loop
        cbz     x21, loop
        bl      run
        mov     x0, x21
        mov     x1, #0
        mov     x2, #0
        mov     x3, #0
        mov     x8, #WAIT4
        svc     #0
        b       leave
loop:
        bl      run
leave:
        mov     x0, #0
        mov     x8, #EXIT
        svc     #0

run:
        nop
        nop
        subs    x19, x19, #1
        b.ne    run
        ret
