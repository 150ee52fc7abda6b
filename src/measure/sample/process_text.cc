// process_text.cc: parses fields by position (proc_pid_stat(5)) and by name.
#include "measure/sample/process_text.h"

#include <charconv>
#include <system_error>

namespace tare::sample {
namespace {

// Removes and returns the next word; empty at the end.
std::string_view NextWord(std::string_view& text) {
  const std::size_t start = text.find_first_not_of(" \n");
  if (start == std::string_view::npos) return {};
  const std::size_t end = text.find_first_of(" \n", start);
  const std::string_view word = text.substr(start, end - start);
  text = end == std::string_view::npos ? std::string_view{} : text.substr(end);
  return word;
}

std::optional<std::uint64_t> ProcessNumber(std::string_view word) {
  std::uint64_t number = 0;
  const char* end = word.data() + word.size();
  const auto [after, error] = std::from_chars(word.data(), end, number);
  if (error != std::errc() || after != end) return std::nullopt;
  return number;
}

// The number after "NAME:" at the start of a line.
std::optional<std::uint64_t> Field(std::string_view text, std::string_view name) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
    if (!line.starts_with(name) || line.substr(name.size(), 1) != ":") continue;
    line.remove_prefix(name.size() + 1);
    const std::size_t start = line.find_first_not_of(" \t");
    return start == std::string_view::npos ? std::nullopt : ProcessNumber(line.substr(start));
  }
  return std::nullopt;
}

}  // namespace

std::optional<ProcessStat> ParseProcessStat(std::string_view text) {
  // No later field contains a parenthesis, so the last ')' ends the name.
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string_view::npos) return std::nullopt;
  text.remove_prefix(name_end + 1);
  const std::string_view state = NextWord(text);
  if (state.size() != 1) return std::nullopt;
  ProcessStat stat;
  stat.state = state.front();
  struct Place {
    int field;
    std::uint64_t* to;
  };
  const Place places[] = {{10, &stat.minor_faults},      {11, &stat.waited_minor_faults},
                          {12, &stat.major_faults},      {13, &stat.waited_major_faults},
                          {14, &stat.user_ticks},        {15, &stat.system_ticks},
                          {16, &stat.waited_user_ticks}, {17, &stat.waited_system_ticks},
                          {20, &stat.threads},           {24, &stat.resident_pages}};
  int field = 3;
  for (const Place& place : places) {
    std::string_view word;
    while (field < place.field) {
      word = NextWord(text);
      ++field;
    }
    const auto number = ProcessNumber(word);
    if (!number) return std::nullopt;
    *place.to = *number;
  }
  return stat;
}

std::optional<ProcessIo> ParseProcessIo(std::string_view text) {
  const auto read_bytes = Field(text, "rchar");
  const auto written_bytes = Field(text, "wchar");
  const auto read_calls = Field(text, "syscr");
  const auto write_calls = Field(text, "syscw");
  const auto storage_read = Field(text, "read_bytes");
  const auto storage_written = Field(text, "write_bytes");
  if (!read_bytes || !written_bytes || !read_calls || !write_calls || !storage_read ||
      !storage_written) {
    return std::nullopt;
  }
  return ProcessIo{*read_bytes,  *written_bytes, *read_calls,
                   *write_calls, *storage_read,  *storage_written};
}

std::optional<Switches> ParseSwitches(std::string_view text) {
  const auto voluntary = Field(text, "voluntary_ctxt_switches");
  const auto involuntary = Field(text, "nonvoluntary_ctxt_switches");
  if (!voluntary || !involuntary) return std::nullopt;
  return Switches{*voluntary, *involuntary};
}

}  // namespace tare::sample
