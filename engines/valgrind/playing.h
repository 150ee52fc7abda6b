/* playing.h: answers from a log in place of the system's. */
#pragma once

#include "question.h"
#include "system_log.h"

/* Writes what the log has for the question into the program's memory, and what the call returns
 * to `result`. False when the log has nothing, and the system's answer stands. */
Bool playing_answer(const struct question* question, Long* result);

/* The same for an instruction: `words` hold what the processor gave. */
void playing_instruction(const struct system_log_source* source, ULong* words);
