// engines.cc: detecting Valgrind, QEMU, clang and single-stepping.
#include "machine/host/engines.h"

#include "machine/host/engine_files.h"

#include <fmt/format.h>

#include <array>
#include <system_error>

namespace tare::host {
namespace {

constexpr std::string_view kCompilerMajor = "19";

bool Exists(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

// Debian installs it in /usr/lib/TRIPLET/valgrind; Valgrind's own build installs it in lib/valgrind
// or libexec/valgrind.
bool HasValgrindCore(const EngineSearch& search, const std::string& architecture) {
  const auto file = std::filesystem::path("valgrind") /
                    fmt::format("libcoregrind-{}.a", ValgrindPlatform(architecture));
  for (const auto& directory : search.library_directories) {
    if (Exists(directory / file)) return true;
    if (Exists(directory / fmt::format("{}-linux-gnu", architecture) / file)) return true;
  }
  return false;
}

Engine Named(std::string name, std::string basis) {
  Engine engine;
  engine.name = std::move(name);
  engine.basis = std::move(basis);
  return engine;
}

Engine Missing(Engine engine, std::string state, std::string advice) {
  engine.found = false;
  engine.state = std::move(state);
  engine.advice = std::move(advice);
  return engine;
}

// Runs `program --version` and stores the version; false when the program cannot run.
bool ReadVersion(const std::filesystem::path& program, Engine& engine) {
  const auto output = RunBriefly(program, {"--version"});
  if (!output) {
    engine.state = output.error().message;
    return false;
  }
  if (output->exit_status != 0) {
    engine.state =
        fmt::format("found, but --version fails with exit status {}", output->exit_status);
    return false;
  }
  engine.version = VersionIn(output->text);
  engine.found = true;
  engine.state = "found";
  return true;
}

}  // namespace

std::string ArchitectureName(const EngineSearch& search) {
  if (!search.architecture.empty()) return search.architecture;
#if defined(__x86_64__)
  return "x86_64";
#elif defined(__aarch64__)
  return "aarch64";
#else
  return "unknown";
#endif
}

std::string ValgrindPlatform(const std::string& architecture) {
  if (architecture == "x86_64") return "amd64-linux";
  if (architecture == "aarch64") return "arm64-linux";
  return architecture + "-linux";
}

Engine FindValgrind(const EngineSearch& search) {
  Engine engine = Named("valgrind", "Valgrind");
  const auto program = FindProgram("valgrind", search.search_path);
  if (!program) return Missing(engine, "valgrind is not installed", "install valgrind");
  if (!ReadVersion(*program, engine)) {
    engine.advice = "reinstall valgrind";
    return engine;
  }
  if (!HasValgrindCore(search, ArchitectureName(search))) {
    return Missing(engine, "found, but its static libraries are missing",
                   "install the complete valgrind package, including libcoregrind");
  }
  return engine;
}

Engine FindQemu(const EngineSearch& search) {
  Engine engine = Named("qemu", "QEMU user mode");
  const std::string name = "qemu-" + ArchitectureName(search);
  const auto program = FindProgram(name, search.search_path);
  if (!program) {
    if (FindProgram(name + "-static", search.search_path)) {
      return Missing(engine, "only the static qemu is installed, which cannot load plugins",
                     "install qemu-user");
    }
    return Missing(engine, name + " is not installed", "install qemu-user");
  }
  if (!ReadVersion(*program, engine)) {
    engine.advice = "reinstall qemu-user";
    return engine;
  }
  const auto help = RunBriefly(*program, {"-h"});
  if (!help || !help->text.contains("-plugin")) {
    return Missing(engine, "found, but built without plugin support",
                   "install a qemu-user with plugin support, such as Debian's");
  }
  return engine;
}

Engine FindCompiler(const EngineSearch& search) {
  const std::string name = fmt::format("clang-{}", kCompilerMajor);
  Engine engine = Named("compiled", "clang " + std::string(kCompilerMajor));
  const auto program = FindProgram(name, search.search_path);
  if (!program) {
    return Missing(engine, name + " is not installed; the plugin needs this version",
                   "install " + name);
  }
  if (!ReadVersion(*program, engine)) engine.advice = fmt::format("reinstall {}", name);
  return engine;
}

Engine StepEngine(const SingleStep& tried) {
  Engine engine = Named("step", "ptrace");
  if (!tried.works) {
    return Missing(engine, tried.reason,
                   "do not run tare under a debugger, and allow ptrace in the container");
  }
  engine.found = true;
  engine.state = "ready: tare count --engine step";
  return engine;
}

void JoinOwnPart(Engine& engine, bool present) {
  if (!engine.found) return;
  engine.state = present ? fmt::format("ready: tare count --engine {}", engine.name)
                         : "found, but tare's part of this engine is missing";
  if (present) return;
  engine.found = false;
  engine.advice = fmt::format("install tare's own part, which is not in {}", EngineDirectories());
}

}  // namespace tare::host
