// small_study.h: studies for tests, in a directory of their own.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>

#include "analysis/study/study_cases.h"
#include "analysis/study/study_file.h"

namespace tare::study {

class ScratchDirectory {
 public:
  ScratchDirectory() {
    std::string path = (std::filesystem::temp_directory_path() / "study_test_XXXXXX").string();
    path_ = ::mkdtemp(path.data());
  }
  ~ScratchDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;

  const std::filesystem::path& Path() const { return path_; }
  std::filesystem::path Write(const std::string& name, std::string_view text) const {
    std::ofstream(path_ / name) << text;
    return path_ / name;
  }

 private:
  std::filesystem::path path_;
};

inline Study Parsed(std::string_view text, const std::filesystem::path& directory = "/tmp") {
  auto study = ParseStudy(text, "study.toml", directory);
  EXPECT_TRUE(study.has_value()) << (study ? "" : study.error().message);
  return study ? *std::move(study) : Study{};
}

inline StudyCases CasesOf(const Study& study) {
  auto cases = MakeCases(study, "/usr/bin/tare");
  EXPECT_TRUE(cases.has_value()) << (cases ? "" : cases.error().message);
  return cases ? *std::move(cases) : StudyCases{};
}

inline std::string ErrorOf(std::string_view text) {
  const auto study = ParseStudy(text, "study.toml", "/tmp");
  if (!study) return study.error().message;
  const auto cases = MakeCases(*study, "/usr/bin/tare");
  return cases ? "" : cases.error().message;
}

}  // namespace tare::study
