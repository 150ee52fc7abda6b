// sampled_profile_file.h: the file of a sampled profile: versioned, checked, readable when cut.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "format/chunk.h"
#include "format/growing_file.h"
#include "format/sampled_profile.h"

namespace tare::format {

inline constexpr std::string_view kProfileMagic = "tareprof";

// Replaces the file whole or not at all.
Result<void> WriteProfile(const SampledProfile& profile, const std::filesystem::path& path);

// Trusts nothing in the file. A file that is cut or damaged behind its tables gives the samples
// before that, and `incomplete` says so. Names both versions when the file has another one.
Result<SampledProfile> ReadProfile(const std::filesystem::path& path);

// A profile that is written while it is sampled, so that what was sampled survives a killed tare.
// Its file has no end, and readers call it incomplete.
class GrowingProfile {
 public:
  // The file replaces `path` once it has its first samples.
  explicit GrowingProfile(std::filesystem::path path) : path_(std::move(path)) {}

  // Appends what was added to the tables of `profile` since the last call, and its samples, which
  // are taken out of it. Without samples nothing is written. The tables may only grow. After a
  // failure the file has what was written before.
  Result<void> Add(SampledProfile& profile);

 private:
  // Entries of tables that are in the file.
  struct Written {
    std::vector<ProfileObject> objects;
    std::vector<ProfileThread> threads;
    std::size_t files = 0;
    std::size_t functions = 0;
    std::size_t locations = 0;
    std::size_t stacks = 0;
    std::size_t mappings = 0;
  };

  std::filesystem::path path_;
  std::optional<GrowingFile> file_;
  ChunkChain chain_;
  ChunkPacker packer_;
  Written written_;
};

// Whether the file begins like a profile.
bool IsProfile(const std::filesystem::path& path);

// The contents of a file.
std::string PackProfile(const SampledProfile& profile);
Result<SampledProfile> ParseProfile(std::string_view file);

}  // namespace tare::format
