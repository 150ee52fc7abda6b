/* playing.h: answers from a tape in place of the system's. */
#pragma once

#include "question.h"
#include "tape.h"

/* Writes what the tape has for the question into the program's memory, and what the call returns
 * to `result`. False when the tape has nothing, and the system's answer stands. */
Bool playing_answer(const struct question* question, Long* result);

/* The same for an instruction: `words` hold what the processor gave. */
void playing_instruction(const struct tape_source* source, ULong* words);
