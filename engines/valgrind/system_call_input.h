/* system_call_input.h: classifies a system call by the system input that it returns, and locates
 * that input in the program's memory. */
#pragma once

#include "core.h"
#include "system_log.h"

/* How the input is stored in the program's memory. */
enum system_call_input_form {
  kCounted,   /* only the call is counted */
  kStructure, /* all pieces are valid when the call succeeds */
  kStream     /* the call's return value is the number of valid bytes */
};

struct system_call_input {
  struct system_log_source source;
  enum system_call_input_form form;
  struct system_log_pieces pieces;
};

/* Returns the total capacity of the pieces in bytes. */
SizeT system_call_input_capacity(const struct system_call_input* input);

/* Looks up the process ID under which /proc lists this process. */
void system_call_input_begin(void);

/* Returns False when the call returns no system input that a log records. Names stay valid until
 * the next call. */
Bool system_call_input_of(UInt number, const UWord* arguments, SysRes result,
                          struct system_call_input* input);
