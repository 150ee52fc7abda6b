// synthetic_profile.h: profiles whose samples are known.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "format/sampled_profile.h"

namespace tare::profile {

// A program with these functions and numbers of samples, all called by main. Samples alternate
// between the timers as 5 to 3.
inline format::SampledProfile ProfileOf(
    const std::vector<std::pair<std::string, std::uint64_t>>& functions) {
  format::SampledProfile profile;
  profile.facts.program = "/bin/program";
  profile.facts.arguments = "program";
  profile.facts.event = "cpu-clock";
  profile.facts.chains = "fp";
  profile.facts.with_kernel = true;
  profile.facts.period[0] = 1'618'034;
  profile.facts.period[1] = 2'618'034;
  profile.objects.push_back({"/bin/program", "abc"});
  profile.files.push_back("/src/program.c");
  profile.functions.push_back({"main", 0, 0x1000, 64});
  profile.locations.push_back({0x401000, 0x1000, 0, 0, 7, 0x1000, 4});
  profile.threads.push_back({10, 10, "program"});
  profile.mappings.push_back({10, 0x401000, 0x10000, 0x1000, 0, 0});
  std::uint64_t all = 0;
  for (const auto& [name, samples] : functions) {
    const auto number = static_cast<std::uint32_t>(profile.functions.size());
    const std::uint64_t offset = 0x1000 + 64 * number;
    profile.functions.push_back({name, 0, offset, 64});
    profile.locations.push_back({0x400000 + offset, offset, number, 0, 10 + number, offset, 5});
    profile.stacks.push_back({number, 0});
    for (std::uint64_t i = 0; i < samples; ++i, ++all) {
      profile.samples.push_back(
          {1'000'000 * all, number - 1, 0, static_cast<std::uint32_t>(i % 8 < 5 ? 0 : 1)});
    }
  }
  profile.facts.cpu_ns = 1'000'000 * all;
  profile.facts.wall_ns = profile.facts.cpu_ns;
  return profile;
}

}  // namespace tare::profile
