/* job_control.h: lets SIGTSTP, SIGTTIN and SIGTTOU stop the program, as they do without
 * Valgrind. */
#pragma once

#include "core.h"

/* Valgrind's core catches SIGTSTP, SIGTTIN and SIGTTOU even where the program keeps the default
 * action, and then drops them. A background program that reads the terminal would see its system
 * call interrupted instead of being stopped. Call before the program's first instruction. */
void job_control_begin(void);

/* To be called after the program's rt_sigaction(2) for `signal`; `action` is the kernel's
 * structure, or NULL. */
void job_control_after_sigaction(UWord signal, const UWord* action);
