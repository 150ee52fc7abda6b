// counters_folder.h: a folder for the files of a traced program, gone at the end of the test.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <optional>
#include <utility>

#include "base/private_directory.h"

namespace tare::sample {

class CountersFolder : public testing::Test {
 protected:
  void SetUp() override {
    auto made = PrivateFolder::Make();
    ASSERT_TRUE(made);
    folder_.emplace(std::move(*made));
    counters_ = folder_->path() / "counters";
    std::filesystem::create_directory(counters_);
  }

  std::optional<PrivateFolder> folder_;
  std::filesystem::path counters_;
};

}  // namespace tare::sample
