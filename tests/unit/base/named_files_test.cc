// named_files_test.cc: the first of a name counts, in order.
#include "base/named_files.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "base/private_directory.h"

namespace tare {
namespace {

TEST(NamedFiles, EarlierFoldersComeFirstAndNamesOnce) {
  const auto folder = PrivateFolder::Make();
  ASSERT_TRUE(folder);
  const std::vector<std::filesystem::path> folders = {
      folder->path() / "own", folder->path() / "missing", folder->path() / "shipped"};
  std::filesystem::create_directories(folders[0]);
  std::filesystem::create_directories(folders[2] / "e.toml");
  for (const char* name : {"own/c.toml", "own/b.toml", "own/.hidden.toml", "shipped/a.toml",
                           "shipped/b.toml", "shipped/d.json"}) {
    std::ofstream(folder->path() / name) << "x";
  }
  std::string found;
  for (const auto& path : NamedFiles(folders, ".toml")) {
    found += path.lexically_relative(folder->path()).string() + " ";
  }
  EXPECT_EQ(found, "own/b.toml own/c.toml shipped/a.toml ");
}

}  // namespace
}  // namespace tare
