// made_program.h: programs and object files that a test makes for itself.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace tare::binary {

inline std::string Contents(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// An empty folder that goes away with the test.
class Folder {
 public:
  Folder() {
    char name[] = "/tmp/tare-elf-XXXXXX";
    if (mkdtemp(name) != nullptr) path_ = name;
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::filesystem::path operator/(const char* name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

inline bool Runs(const std::string& command) {
  return std::system((command + " > /dev/null 2>&1").c_str()) == 0;
}

// A file of the corpus of tests/fuzz, which has files for machines other than this one.
inline std::string Sample(const std::string& name) {
  return Contents(std::filesystem::path(TARE_SOURCE_DIR) / "tests/fuzz/corpus/elf" / name);
}

}  // namespace tare::binary
