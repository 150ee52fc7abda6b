// named_files_test.cc: tests that the first directory with a name takes precedence.
#include "base/named_files.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "base/private_directory.h"

namespace tare {
namespace {

TEST(NamedFiles, EarlierDirectoriesComeFirstAndNamesOnce) {
  const auto directory = PrivateDirectory::Make();
  ASSERT_TRUE(directory);
  const std::vector<std::filesystem::path> directories = {
      directory->path() / "own", directory->path() / "missing", directory->path() / "shipped"};
  std::filesystem::create_directories(directories[0]);
  std::filesystem::create_directories(directories[2] / "e.toml");
  for (const char* name : {"own/c.toml", "own/b.toml", "own/.hidden.toml", "shipped/a.toml",
                           "shipped/b.toml", "shipped/d.json"}) {
    std::ofstream(directory->path() / name) << "x";
  }
  std::string found;
  for (const auto& path : NamedFiles(directories, ".toml")) {
    found += path.lexically_relative(directory->path()).string() + " ";
  }
  EXPECT_EQ(found, "own/b.toml own/c.toml shipped/a.toml ");
}

}  // namespace
}  // namespace tare
