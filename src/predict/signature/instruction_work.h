// instruction_work.h: the kinds of work that an instruction does.
#pragma once

#include <optional>

#include "binary/decode/architecture.h"
#include "binary/decode/instruction.h"
#include "predict/signature/signature.h"

namespace tare::signature {

// The work of an instruction beside its loads and stores; nothing for one that only loads, stores
// or branches.
std::optional<Work> OperationOf(decode::Architecture architecture,
                                const decode::Instruction& instruction);

// Adds the work of one execution, loads, stores and branches included. `accesses` is how often a
// repeated instruction accesses memory; 1 for others.
void AddWork(decode::Architecture architecture, const decode::Instruction& instruction,
             double accesses, WorkCounts& to);

// The floating-point work of one execution; nothing where there is none.
std::optional<FloatWork> FloatWorkOf(decode::Architecture architecture,
                                     const decode::Instruction& instruction);

// Cycles from operands to result on a reference machine: only to find the longest chain.
// docs/methods/signatures.md has the numbers.
double ReferenceLatency(Work work);

}  // namespace tare::signature
