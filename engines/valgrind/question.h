/* question.h: classifies a system call by the system input that it returns, and locates that input
 * in the program's memory. */
#pragma once

#include "core.h"
#include "system_log.h"

/* How the input is laid out in the program's memory. */
enum question_form {
  kCounted,   /* only the call is counted */
  kStructure, /* all pieces are valid when the call succeeds */
  kStream     /* the call's return value is the number of valid bytes */
};

struct question {
  struct system_log_source source;
  enum question_form form;
  struct system_log_pieces pieces;
};

/* Returns the total capacity of the pieces in bytes. */
SizeT question_room(const struct question* question);

/* Looks up the process ID under which /proc lists this process. */
void question_begin(void);

/* Returns False when the call returns no system input that a log records. Names stay valid until
 * the next call. */
Bool question_of(UInt number, const UWord* arguments, SysRes result, struct question* question);
