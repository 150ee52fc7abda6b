// profile_export_perf.cc: the file format of linux/tools/perf/Documentation/perf.data-file-format.
#include <linux/perf_event.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "measure/profile/process_maps.h"
#include "measure/profile/profile_export.h"

namespace tare::profile {
namespace {

using format::SampledProfile;

struct FileSection {
  std::uint64_t offset;
  std::uint64_t size;
};

struct PerfFileHeader {
  char magic[8];
  std::uint64_t size;
  std::uint64_t attribute_size;
  FileSection attributes;
  FileSection data;
  FileSection event_types;
  std::uint64_t features[4];
};
static_assert(sizeof(PerfFileHeader) == 104);

struct FileAttribute {
  perf_event_attr attributes;
  FileSection identifiers;
};

template <typename T>
  requires std::is_trivially_copyable_v<T>
void Append(std::string& to, const T& value) {
  to.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void AppendText(std::string& to, std::string_view text) {
  to += text;
  to.append(8 - text.size() % 8, '\0');
}

// Records are at most 64 KiB long.
void AppendRecord(std::string& to, std::uint32_t type, std::uint16_t misc,
                  const std::string& body) {
  const perf_event_header header{
      type, misc, static_cast<std::uint16_t>(sizeof(perf_event_header) + body.size())};
  Append(to, header);
  to += body;
}

void AppendMapping(const SampledProfile& profile, const format::ProfileMapping& mapping,
                   std::string& data) {
  constexpr std::size_t kMaxPath = 4096;
  const std::string& path = profile.objects[mapping.object].path;
  std::string body;
  Append(body, mapping.process);
  Append(body, mapping.process);
  Append(body, mapping.start);
  Append(body, mapping.bytes);
  Append(body, mapping.file_offset);
  body.append(24, '\0');           // device, inode, generation
  Append(body, std::uint32_t{5});  // PROT_READ | PROT_EXEC
  Append(body, std::uint32_t{2});  // MAP_PRIVATE
  AppendText(body, path == kAnonymousObject ? "//anon" : path.substr(0, kMaxPath));
  AppendRecord(data, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER, body);
}

void AppendSample(const SampledProfile& profile, const format::ProfileSample& sample,
                  std::string& data) {
  constexpr std::size_t kMaxFrames = 1000;
  const auto& stack = profile.stacks[sample.stack];
  const auto& thread = profile.threads[sample.thread];
  const auto in_kernel = [&](std::uint32_t location) {
    const auto& function = profile.functions[profile.locations[location].function];
    return profile.objects[function.object].path == kKernelObject;
  };
  std::vector<std::uint64_t> chain;
  std::optional<bool> kernel;
  for (std::size_t i = 0; i < std::min(stack.size(), kMaxFrames); ++i) {
    const bool now = in_kernel(stack[i]);
    if (!kernel || *kernel != now) {
      chain.push_back(static_cast<std::uint64_t>(now ? PERF_CONTEXT_KERNEL : PERF_CONTEXT_USER));
      kernel = now;
    }
    // perf subtracts 1 from return addresses itself.
    chain.push_back(profile.locations[stack[i]].address + (i == 0 ? 0 : 1));
  }
  std::string body;
  Append(body, profile.locations[stack.front()].address);
  Append(body, thread.process);
  Append(body, thread.thread);
  Append(body, sample.time_ns);
  Append(body, profile.facts.period[sample.timer]);
  Append(body, std::uint64_t{chain.size()});
  for (const std::uint64_t address : chain) Append(body, address);
  AppendRecord(data, PERF_RECORD_SAMPLE,
               in_kernel(stack.front()) ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER, body);
}

}  // namespace

std::string ToPerfData(const SampledProfile& profile) {
  PerfFileHeader header{};
  std::memcpy(header.magic, "PERFILE2", sizeof header.magic);
  FileAttribute attribute{};
  perf_event_attr& about = attribute.attributes;
  const bool clock = profile.facts.event == "cpu-clock";
  about.size = sizeof about;
  about.type = clock ? PERF_TYPE_SOFTWARE : PERF_TYPE_HARDWARE;
  about.config =
      clock ? std::uint64_t{PERF_COUNT_SW_CPU_CLOCK} : std::uint64_t{PERF_COUNT_HW_CPU_CYCLES};
  about.sample_period = profile.facts.period[0];
  about.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD |
                      PERF_SAMPLE_CALLCHAIN;
  about.mmap = 1;
  about.mmap2 = 1;
  about.comm = 1;

  std::string data;
  for (const auto& thread : profile.threads) {
    std::string body;
    Append(body, thread.process);
    Append(body, thread.thread);
    AppendText(body, std::string_view(thread.command).substr(0, 15));
    AppendRecord(data, PERF_RECORD_COMM, 0, body);
  }
  for (const auto& mapping : profile.mappings) AppendMapping(profile, mapping, data);
  std::vector<format::ProfileSample> samples = profile.samples;
  std::ranges::stable_sort(samples, {}, &format::ProfileSample::time_ns);
  for (const auto& sample : samples) AppendSample(profile, sample, data);

  header.size = sizeof header;
  header.attribute_size = sizeof attribute;
  header.attributes = {sizeof header, sizeof attribute};
  header.data = {sizeof header + sizeof attribute, data.size()};
  attribute.identifiers = {sizeof header + sizeof attribute, 0};
  std::string file;
  Append(file, header);
  Append(file, attribute);
  file += data;
  return file;
}

}  // namespace tare::profile
