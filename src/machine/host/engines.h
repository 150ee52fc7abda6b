// engines.h: which sources of counts have what they need on this machine.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "machine/host/installed_program.h"
#include "machine/host/single_step.h"

namespace tare::host {

// What an engine stands on: a tool, a system call, a compiler. `found` says nothing about tare's
// own part of the engine.
struct Engine {
  std::string name;     // "valgrind"
  std::string basis;    // "Valgrind 3.19.0", "perf_event_open"
  bool found = false;   // the basis is there and usable
  std::string version;  // of the basis; may be empty
  std::string state;    // one line: found, or what is missing
  std::string advice;   // what to install or change; empty when nothing
};

// Where to look; the defaults are this machine's.
struct EngineSearch {
  std::string search_path = SearchPath();
  std::string architecture;  // "x86_64", "aarch64"; empty: this machine's
  std::vector<std::filesystem::path> library_directories = {"/usr/lib", "/usr/libexec",
                                                            "/usr/local/lib", "/usr/local/libexec"};
};

// The architecture to look for: "x86_64", "aarch64".
std::string ArchitectureName(const EngineSearch& search);

// Valgrind's own name of the platform: "amd64-linux".
std::string ValgrindPlatform(const std::string& architecture);

Engine FindValgrind(const EngineSearch& search);
Engine FindQemu(const EngineSearch& search);
Engine FindCompiler(const EngineSearch& search);
Engine StepEngine(const SingleStep& tried);

// Says whether tare's own part of the engine is there too.
void JoinOwnPart(Engine& engine, bool present);

}  // namespace tare::host
