// profile_exact.h: exact profiles by counting under an engine.
#pragma once

#include "cli/command.h"
#include "cli/commands/profile/profile_tables.h"
#include "cli/program_options.h"
#include "measure/count/count_program.h"

namespace tare::cli {

// Counts with the first exact engine that runs here. `images` must outlive the report.
Result<count::CountReport> CountExactly(const ReadyProgram& ready, bool pass_output,
                                        const Session& session, count::Images& images);

Result<Outcome> ShowExactProfile(const ReadyProgram& ready, const Session& session,
                                 const ProfileView& view);

}  // namespace tare::cli
