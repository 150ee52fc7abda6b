// tare_cc.cc: the main function of `tare-cc` and `tare-c++`.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "compiler/wrapper/compiler_process.h"
#include "compiler/wrapper/wrapper.h"
#include "machine/host/engine_files.h"
#include "machine/host/installed_program.h"

namespace {

std::string Variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

tare::wrapper::WrapperSetting Setting() {
  std::error_code ignored;
  tare::wrapper::WrapperSetting setting;
  const tare::host::EngineFiles files = tare::host::FindEngineFiles();
  setting.files.plugin = files.clang_plugin.value_or("");
  setting.files.runtime = files.runtime.value_or("");
  setting.files.searched = tare::host::EngineDirectories();
  setting.search_path = tare::host::SearchPath();
  setting.own = std::filesystem::read_symlink("/proc/self/exe", ignored);
  setting.directory = std::filesystem::current_path(ignored);
  return setting;
}

// Ignores failures: if standard error cannot be written, the exit status still reports the error.
void PrintError(const std::string& line) { std::fputs(line.c_str(), stderr); }

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
  const std::string called = std::filesystem::path(argc > 0 ? argv[0] : "tare-cc").filename();
  const tare::wrapper::WrapperEnvironment environment = {.wrapper = Variable("TARE_WRAPPER"),
                                                         .metrics = Variable("TARE_METRICS"),
                                                         .only = Variable("TARE_ONLY"),
                                                         .placement = Variable("TARE_PLACEMENT"),
                                                         .clang = Variable("TARE_CLANG"),
                                                         .gcc = Variable("TARE_GCC")};
  const auto options = tare::wrapper::ParseWrapperOptions(called, arguments, environment);
  auto ending = options
                    ? tare::wrapper::Wrap(*options, Setting())
                    : tare::Result<tare::wrapper::WrapperEnding>(std::unexpected(options.error()));
  if (!ending) {
    PrintError(fmt::format("{}: error: {}\n", called, ending.error().message));
    return 1;
  }
  for (const std::string& note : ending->notes) PrintError(fmt::format("{}: {}\n", called, note));
  const bool written = std::fwrite(ending->output.data(), 1, ending->output.size(), stdout) ==
                           ending->output.size() &&
                       std::fflush(stdout) == 0;
  if (!written) {
    PrintError(fmt::format("{}: error: cannot write to standard output\n", called));
    return 1;
  }
  tare::wrapper::EndLike(ending->wait_status);
}
