// sampled_profile.h: samples of where a program was, with their call chains, named.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tare::format {

inline constexpr std::uint32_t kNoIndex = 0xffffffff;

// A program, library, or other source of code such as "[kernel]".
struct ProfileObject {
  std::string path;
  std::string build_id;  // empty where there is none

  friend bool operator==(const ProfileObject&, const ProfileObject&) = default;
};

struct ProfileFunction {
  std::string name;          // as in the file: mangled
  std::uint32_t object = 0;  // index into objects
  std::uint64_t start = 0;   // address in the file; 0 where unknown
  std::uint64_t bytes = 0;   // 0 where unknown

  friend bool operator==(const ProfileFunction&, const ProfileFunction&) = default;
};

// A sampled address, or a return address of a call chain.
struct ProfileLocation {
  std::uint64_t address = 0;             // in the process
  std::uint64_t offset = 0;              // in the file; the address for code without a file
  std::uint32_t function = 0;            // index into functions
  std::uint32_t file = kNoIndex;         // source file: index into files
  std::uint32_t line = 0;                // 0: unknown
  std::uint64_t block = 0;               // offset of its basic block in the file
  std::uint32_t block_instructions = 0;  // 0: the block is unknown

  friend bool operator==(const ProfileLocation&, const ProfileLocation&) = default;
};

struct ProfileThread {
  std::uint32_t process = 0;
  std::uint32_t thread = 0;
  std::string command;

  friend bool operator==(const ProfileThread&, const ProfileThread&) = default;
};

// Executable memory of a process.
struct ProfileMapping {
  std::uint32_t process = 0;
  std::uint64_t start = 0;
  std::uint64_t bytes = 0;
  std::uint64_t file_offset = 0;
  std::uint32_t object = 0;
  std::uint64_t time_ns = 0;

  friend bool operator==(const ProfileMapping&, const ProfileMapping&) = default;
};

struct ProfileSample {
  std::uint64_t time_ns = 0;  // since the start
  std::uint32_t stack = 0;
  std::uint32_t thread = 0;
  std::uint32_t timer = 0;  // 0 or 1: which of the two periods

  friend bool operator==(const ProfileSample&, const ProfileSample&) = default;
};

// Locations by index, the sampled one first, then its callers.
using ProfileStack = std::vector<std::uint32_t>;

// What was sampled and how. Also the conditions that must agree before samples are added.
struct ProfileFacts {
  std::string program;    // path, or "PID 12", or "whole system"
  std::string arguments;  // as a shell line
  std::string machine;
  std::string event;                 // "cpu-clock" or "cycles"
  std::string chains;                // "none", "fp" or "dwarf"
  bool with_kernel = false;          // kernel mode was sampled too
  std::uint64_t period[2] = {0, 0};  // of the two timers: ns, or cycles; 0: not used
  std::uint64_t cpu_ns = 0;          // processor time of all sampled threads; 0: unknown
  std::uint64_t wall_ns = 0;
  std::uint64_t lost = 0;  // samples that the kernel dropped
  std::uint64_t throttled = 0;
  std::uint32_t runs = 1;
  double sample_cost_ns = 0;       // calibrated; 0: unknown
  double sample_cost_half_ns = 0;  // half width of its 95 % interval
  std::uint64_t own_cpu_ns = 0;    // of the collecting thread

  friend bool operator==(const ProfileFacts&, const ProfileFacts&) = default;
};

struct SampledProfile {
  ProfileFacts facts;
  std::vector<ProfileObject> objects;
  std::vector<std::string> files;
  std::vector<ProfileFunction> functions;
  std::vector<ProfileLocation> locations;
  std::vector<ProfileStack> stacks;
  std::vector<ProfileThread> threads;
  std::vector<ProfileMapping> mappings;
  std::vector<ProfileSample> samples;
  std::string incomplete;  // why it is not whole; empty if it is

  friend bool operator==(const SampledProfile&, const SampledProfile&) = default;
};

}  // namespace tare::format
