// process_maps.cc: mappings are shared between a process and its forks until one of them changes.
#include "measure/profile/process_maps.h"

#include "machine/host/kernel_text.h"

namespace tare::profile {
namespace {

constexpr std::size_t kMaxHistory = 1'000'000;

bool HasFile(std::string_view path) { return path.starts_with('/') && !path.starts_with("//"); }

std::string_view ObjectName(std::string_view path) {
  if (path == "[vdso]") return path;
  return HasFile(path) ? path : std::string_view(kAnonymousObject);
}

}  // namespace

std::optional<MapsLine> ParseMapsLine(std::string_view line) {
  // "55d0-55d9 r-xp 00002000 fd:01 1234    /usr/bin/true"
  const auto words = host::Words(line);
  if (words.size() < 5 || words[1].size() < 3 || words[1][2] != 'x') return std::nullopt;
  const std::size_t dash = words[0].find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const auto start = host::HexNumber(words[0].substr(0, dash));
  const auto end = host::HexNumber(words[0].substr(dash + 1));
  const auto offset = host::HexNumber(words[2]);
  if (!start || !end || !offset || *start >= *end) return std::nullopt;
  MapsLine parsed{*start, *end, *offset, {}};
  // Paths may contain blanks.
  if (words.size() > 5)
    parsed.name = line.substr(static_cast<std::size_t>(words[5].data() - line.data()));
  return parsed;
}

std::uint32_t ProcessMaps::Object(std::string_view path, const std::string& build_id) {
  auto found = object_numbers_.find(path);
  std::string key(path);
  if (found != object_numbers_.end()) {
    std::string& known = build_ids_[found->second];
    if (known.empty()) known = build_id;
    if (build_id.empty() || known == build_id) return found->second;
    key += '\0' + build_id;
    found = object_numbers_.find(key);
    if (found != object_numbers_.end()) return found->second;
  }
  const auto number = static_cast<std::uint32_t>(objects_.size());
  objects_.emplace_back(path);
  build_ids_.push_back(build_id);
  object_numbers_.emplace(std::move(key), number);
  return number;
}

std::shared_ptr<ProcessMaps::Mappings>& ProcessMaps::Known(std::uint32_t process) {
  auto& mappings = processes_[process];
  if (mappings) return mappings;
  mappings = std::make_shared<Mappings>();
  const std::string text = read_ ? read_(process) : std::string();
  for (const std::string_view line : host::Lines(text)) {
    const auto parsed = ParseMapsLine(line);
    if (parsed)
      Map(process, parsed->start, parsed->end - parsed->start, parsed->file_offset, parsed->name,
          0);
  }
  return processes_[process];
}

ProcessMaps::Mappings& ProcessMaps::Own(std::uint32_t process) {
  auto& mappings = Known(process);
  if (mappings.use_count() > 1) mappings = std::make_shared<Mappings>(*mappings);
  return *mappings;
}

void ProcessMaps::Map(std::uint32_t process, std::uint64_t start, std::uint64_t bytes,
                      std::uint64_t file_offset, std::string_view path, std::uint64_t time_ns,
                      const std::string& build_id) {
  if (bytes == 0 || start + bytes < start) return;
  Mappings& mappings = Own(process);
  const std::uint64_t end = start + bytes;
  // A new mapping replaces what it overlaps.
  auto next = mappings.lower_bound(start);
  if (next != mappings.begin()) {
    MappedCode& before = std::prev(next)->second;
    if (before.end > end) {
      MappedCode rest = before;
      rest.file_offset += end - rest.start;
      rest.start = end;
      mappings.emplace(end, rest);
    }
    if (before.end > start) before.end = start;
  }
  for (next = mappings.lower_bound(start); next != mappings.end() && next->first < end;) {
    MappedCode rest = next->second;
    next = mappings.erase(next);
    if (rest.end > end) {
      rest.file_offset += end - rest.start;
      rest.start = end;
      next = std::next(mappings.emplace(end, rest).first);
    }
  }
  const std::uint32_t object = Object(ObjectName(path), HasFile(path) ? build_id : std::string());
  mappings.emplace(start, MappedCode{start, end, file_offset, object});
  if (history_.size() < kMaxHistory)
    history_.push_back({process, start, bytes, file_offset, object, time_ns});
}

void ProcessMaps::Fork(std::uint32_t process, std::uint32_t parent) {
  if (process == parent) return;  // a thread
  processes_[process] = Known(parent);
}

void ProcessMaps::Exec(std::uint32_t process) {
  processes_[process] = std::make_shared<Mappings>();
}

CodePlace ProcessMaps::Kernel(std::uint64_t address) { return {Object(kKernelObject), address}; }

const ProcessMaps::Mappings& ProcessMaps::Of(std::uint32_t process) { return *Known(process); }

CodePlace ProcessMaps::Find(std::uint32_t process, std::uint64_t address) {
  const Mappings& mappings = *Known(process);
  auto found = mappings.upper_bound(address);
  if (found == mappings.begin()) return {Object(kUnknownObject), address};
  const MappedCode& code = std::prev(found)->second;
  if (address >= code.end) return {Object(kUnknownObject), address};
  if (objects_[code.object] == kAnonymousObject) return {code.object, address};
  return {code.object, address - code.start + code.file_offset};
}

}  // namespace tare::profile
