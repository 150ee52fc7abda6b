// built_program.h: small programs that the tests have compiled, and what other tools say of them.
#pragma once

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

namespace tare::dwarf {

// An empty folder that goes away with the test.
class Folder {
 public:
  Folder() {
    char name[] = "/tmp/tare-dwarf-XXXXXX";
    if (mkdtemp(name) != nullptr) path_ = name;
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(std::string_view name) const { return path_ / name; }

  void Write(std::string_view name, std::string_view text) const {
    std::ofstream(path_ / name, std::ios::binary) << text;
  }
  // In the folder, silently; whether it succeeded.
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

// Functions inside functions, a class, a header, a loop; -O2 inlines all but main, Kept and Both.
inline constexpr std::string_view kHeader = R"(#pragma once
struct Counter {
  int Add(int amount);
  int Twice(int amount) {
    Add(amount);
    return Add(amount);
  }
  int total = 0;
};
)";
inline constexpr std::string_view kSource = R"(#include "counter.h"
extern volatile int sink;
volatile int sink;
inline int Counter::Add(int amount) {
  total += amount;
  sink = total;
  return total;
}
namespace inner {
static int Squared(int value) {
  sink = value;
  return value * value;
}
static int Fourth(int value) {
  return Squared(Squared(value) + sink);
}
}  // namespace inner
__attribute__((noinline)) int Kept(int value) {
  Counter counter;
  for (int i = 0; i < sink; ++i)
    value += counter.Twice(i);
  return value + inner::Fourth(value);
}
__attribute__((noinline)) int Both(int value) {
  return inner::Fourth(value) - inner::Squared(value);
}
int main(int argc, char**) {
  return Kept(argc) + Both(argc);
}
)";

inline void WriteProgram(const Folder& folder) {
  folder.Write("counter.h", kHeader);
  folder.Write("program.cc", kSource);
}

}  // namespace tare::dwarf
