// sampled_profile_file.h: the file of a sampled profile: versioned, checked, readable when cut.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"
#include "format/sampled_profile.h"

namespace tare::format {

inline constexpr std::string_view kProfileMagic = "tareprof";

// Replaces the file whole or not at all.
Result<void> WriteProfile(const SampledProfile& profile, const std::filesystem::path& path);

// Trusts nothing in the file. A file that is cut or damaged behind its tables gives the samples
// before that, and `incomplete` says so. Names both versions when the file has another one.
Result<SampledProfile> ReadProfile(const std::filesystem::path& path);

// Whether the file begins like a profile.
bool IsProfile(const std::filesystem::path& path);

// The contents of a file.
std::string PackProfile(const SampledProfile& profile);
Result<SampledProfile> ParseProfile(std::string_view file);

}  // namespace tare::format
