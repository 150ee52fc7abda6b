// counters_directory.h: a directory for a traced program's counter files, removed at the end of the
// test.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <optional>
#include <utility>

#include "base/private_directory.h"

namespace tare::sample {

class CountersDirectory : public testing::Test {
 protected:
  void SetUp() override {
    auto made = PrivateDirectory::Make();
    ASSERT_TRUE(made);
    directory_.emplace(std::move(*made));
    counters_ = directory_->path() / "counters";
    std::filesystem::create_directory(counters_);
  }

  std::optional<PrivateDirectory> directory_;
  std::filesystem::path counters_;
};

}  // namespace tare::sample
