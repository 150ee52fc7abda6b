// written_files.h: a test fixture with files of /proc and /sys that the test writes itself.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <optional>
#include <string>
#include <utility>

#include "base/private_directory.h"
#include "machine/host/system_files.h"

namespace tare::host {

class WrittenFiles : public testing::Test {
 protected:
  void SetUp() override {
    auto made = PrivateDirectory::Make();
    ASSERT_TRUE(made);
    directory_.emplace(*std::move(made));
    files_.root = directory_->path();
  }
  void Write(const std::string& path, const std::string& text) const {
    const auto file = files_.Place(path);
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  void WriteLine(const std::string& path, const std::string& text) const {
    Write(path, text + "\n");
  }

  SystemFiles files_;

 private:
  std::optional<PrivateDirectory> directory_;
};

}  // namespace tare::host
