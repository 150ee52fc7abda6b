// compiler_process.h: replaces this process by the compiler, or runs it and waits.
#pragma once

#include "base/result.h"
#include "compiler/wrapper/compiler_run.h"

namespace tare::wrapper {

// Executes the compiler in this process; returns only on failure.
Error BecomeCompiler(const CompilerRun& run);

// Returns the status of waitpid(2). Forwards termination signals to the compiler.
Result<int> RunCompiler(const CompilerRun& run);

// Ends this process with the same exit status or signal as `wait_status` of waitpid(2).
[[noreturn]] void EndLike(int wait_status);

}  // namespace tare::wrapper
