// compiler_process.h: running the compiler in our place, or waiting for it.
#pragma once

#include "base/result.h"
#include "compiler/wrapper/compiler_run.h"

namespace tare::wrapper {

// This process becomes the compiler; returns only when that fails.
Error BecomeCompiler(const CompilerRun& run);

// The status of waitpid. Signals that ask us to end go to the compiler too.
Result<int> RunCompiler(const CompilerRun& run);

// Ends this process as the one with this status of waitpid has ended: the same exit status or
// signal.
[[noreturn]] void EndLike(int wait_status);

}  // namespace tare::wrapper
