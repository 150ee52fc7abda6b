// engines.h: which engines have their prerequisites on this machine.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "machine/host/installed_program.h"
#include "machine/host/single_step.h"

namespace tare::host {

// The prerequisite of an engine: a tool, a system call or a compiler. `found` does not cover tare's
// own component of the engine.
struct Engine {
  std::string name;     // "valgrind"
  std::string basis;    // "Valgrind 3.19.0", "perf_event_open"
  bool found = false;   // the prerequisite exists and is usable
  std::string version;  // of the prerequisite; may be empty
  std::string state;    // one line: found, or what is missing
  std::string advice;   // what to install or change; empty: nothing
};

// Where to search. The defaults describe this machine.
struct EngineSearch {
  std::string search_path = SearchPath();
  std::string architecture;  // "x86_64", "aarch64"; empty: this machine's
  std::vector<std::filesystem::path> library_directories = {"/usr/lib", "/usr/libexec",
                                                            "/usr/local/lib", "/usr/local/libexec"};
};

// The architecture to search for: "x86_64", "aarch64".
std::string ArchitectureName(const EngineSearch& search);

// Valgrind's name of the platform: "amd64-linux".
std::string ValgrindPlatform(const std::string& architecture);

Engine FindValgrind(const EngineSearch& search);
Engine FindQemu(const EngineSearch& search);
Engine FindCompiler(const EngineSearch& search);
Engine StepEngine(const SingleStep& tried);

// Records whether tare's own component of the engine is present too.
void JoinOwnPart(Engine& engine, bool present);

}  // namespace tare::host
