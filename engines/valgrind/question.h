/* question.h: what a system call asks for. */
#pragma once

#include "core.h"
#include "system_log.h"

/* How the answer lies in the program's memory. */
enum question_form {
  kCounted,   /* only that it was asked */
  kStructure, /* all of the pieces, when the call succeeds */
  kStream     /* as many bytes of the pieces as the call returns */
};

struct question {
  struct system_log_source source;
  enum question_form form;
  struct system_log_pieces pieces;
};

/* Bytes that its pieces have room for. */
SizeT question_room(const struct question* question);

/* Looks up what paths of /proc call this process. */
void question_begin(void);

/* False when the call asks for nothing that a log knows. Names are there until the next call. */
Bool question_of(UInt number, const UWord* arguments, SysRes result, struct question* question);
