// build_directory.h: compiles small programs for tests, and runs other tools on them.
#pragma once

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

namespace tare {

// An empty directory that is removed with the object.
class BuildDirectory {
 public:
  BuildDirectory() {
    char name[] = "/tmp/tare-test-XXXXXX";
    if (mkdtemp(name) != nullptr) path_ = name;
  }
  ~BuildDirectory() { std::filesystem::remove_all(path_); }
  BuildDirectory(const BuildDirectory&) = delete;
  BuildDirectory& operator=(const BuildDirectory&) = delete;
  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(std::string_view name) const { return path_ / name; }

  void Write(std::string_view name, std::string_view text) const {
    std::ofstream(path_ / name, std::ios::binary) << text;
  }
  // Runs a command in the directory without output; returns whether it succeeded.
  bool Runs(const std::string& command) const {
    return std::system(
               ("cd " + path_.string() + " && (" + command + ") > /dev/null 2>&1").c_str()) == 0;
  }
  std::string Output(const std::string& command) const {
    std::string output;
    FILE* pipe =
        popen(("cd " + path_.string() + " && (" + command + ") 2> /dev/null").c_str(), "r");
    if (pipe == nullptr) return output;
    char buffer[4096];
    while (const std::size_t count = fread(buffer, 1, sizeof(buffer), pipe))
      output.append(buffer, count);
    pclose(pipe);
    return output;
  }
  std::string Contents(std::string_view name) const {
    std::ifstream file(path_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

 private:
  std::filesystem::path path_;
};

}  // namespace tare
