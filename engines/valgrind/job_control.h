/* job_control.h: the signals of job control stop the program, as they do without the engine. */
#pragma once

#include "core.h"

/* SIGTSTP, SIGTTIN and SIGTTOU are caught by Valgrind's core even where the program leaves them
 * alone, and are then dropped: a program in the background that wants the terminal would see its
 * system call interrupted instead of being stopped. Call before the program's first instruction. */
void job_control_begin(void);

/* The program has set what `signal` does; `action` is the kernel's structure, or NULL. */
void job_control_after_sigaction(UWord signal, const UWord* action);
