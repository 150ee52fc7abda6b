// doctor_self_test.h: `tare doctor --self-test`: every source of counts against known effects.
#pragma once

#include <optional>
#include <string>

#include "analysis/self_test/self_test.h"
#include "base/result.h"
#include "cli/commands.h"
#include "cli/failed_events.h"
#include "machine/host/findings.h"

namespace tare::cli {

// `machine` names the processor of the virtual PMU; empty: this machine's. The exit status is 1 if
// a test failed.
Result<Outcome> DoctorSelfTest(const std::string& machine, Session& session);

report::Document SelfTestDocument(const self_test::SelfTestReport& report,
                                  const std::string& processor);

// What the last self-test since the boot found.
host::Finding SelfTestFinding(const StoredSelfTest& stored);

}  // namespace tare::cli
