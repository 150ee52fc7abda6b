// event_names.cc: the only file that calls libpfm4, because its copy of perf_event.h and the
// kernel's cannot be included together.
#include "machine/pmu/event_names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <perfmon/pfmlib_perf_event.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <numeric>
#include <tuple>

#include "base/printable.h"

namespace tare::pmu {
namespace {

constexpr std::size_t kLongestName = 512;
constexpr std::size_t kLongestCompared = 64;

// libpfm4 has one global state; a static local initializes it once, thread-safely.
int Initialised() {
  static const int result = ::pfm_initialize();
  return result;
}

Result<void> Ready() {
  if (Initialised() == PFM_SUCCESS) return {};
  return Fail(ErrorKind::kUnsupported,
              fmt::format("cannot look up event names: libpfm4 reports: {}; use the generic names "
                          "such as cycles",
                          ::pfm_strerror(Initialised())));
}

unsigned Positive(int number) { return number > 0 ? static_cast<unsigned>(number) : 0; }

std::vector<pfm_pmu_info_t> PresentTables() {
  std::vector<pfm_pmu_info_t> tables;
  for (int id = PFM_PMU_NONE; id < PFM_PMU_MAX; ++id) {
    pfm_pmu_info_t table{};
    table.size = sizeof table;
    if (::pfm_get_pmu_info(static_cast<pfm_pmu_t>(id), &table) != PFM_SUCCESS) continue;
    if (table.is_present) tables.push_back(table);
  }
  return tables;
}

std::string Lower(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](char c) {
    return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  });
  return lower;
}

// Insertions, deletions and replacements that turn one text into the other.
std::size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row[b.size()];
}

// "pmu::event:attribute" without the table and the attributes.
std::string_view BareName(std::string_view name) {
  if (const auto at = name.find("::"); at != std::string_view::npos) name.remove_prefix(at + 2);
  return name.substr(0, name.find(':')).substr(0, kLongestCompared);
}

std::string Suggestion(std::string_view name) {
  const auto near = NearEventNames(name, 3);
  if (near.empty()) return "no known name is similar";
  return fmt::format("did you mean {}?", fmt::join(near, ", "));
}

}  // namespace

Result<std::vector<EventTable>> EventTablesHere() {
  TRY_VOID(Ready());
  std::vector<EventTable> tables;
  for (const pfm_pmu_info_t& table : PresentTables()) {
    tables.push_back({.name = Printable(table.name),
                      .description = Printable(table.desc),
                      .core = table.type == PFM_PMU_TYPE_CORE,
                      .events = Positive(table.nevents),
                      .counters = Positive(table.num_cntrs),
                      .fixed_counters = Positive(table.num_fixed_cntrs)});
  }
  return tables;
}

Result<ResolvedEvent> ResolveEvent(std::string_view name) {
  TRY_VOID(Ready());
  if (name.empty() || name.size() > kLongestName || name.find('\0') != std::string_view::npos) {
    return Fail(
        ErrorKind::kUsage,
        fmt::format("an event name has 1 to {} characters; try instructions:u", kLongestName));
  }
  perf_event_attr attributes{};
  attributes.size = sizeof attributes;
  char* full_name = nullptr;
  pfm_perf_encode_arg_t encoded{};
  encoded.attr = &attributes;
  encoded.fstr = &full_name;
  encoded.size = sizeof encoded;
  const std::string terminated(name);
  const int failed =
      ::pfm_get_os_event_encoding(terminated.c_str(), PFM_PLM3, PFM_OS_PERF_EVENT_EXT, &encoded);
  if (failed != PFM_SUCCESS) {
    std::free(full_name);
    const std::string shown = Printable(name);
    if (failed == PFM_ERR_NOTFOUND || failed == PFM_ERR_INVAL) {
      return Fail(ErrorKind::kUsage, fmt::format("unknown event {}: {}", shown, Suggestion(name)));
    }
    return Fail(ErrorKind::kUsage, fmt::format("event {}: {}; check what follows the colon", shown,
                                               ::pfm_strerror(failed)));
  }
  ResolvedEvent event;
  event.code.type = attributes.type;
  event.code.config = attributes.config;
  event.code.config1 = attributes.config1;
  event.code.config2 = attributes.config2;
  event.code.user = attributes.exclude_user == 0;
  event.code.kernel = attributes.exclude_kernel == 0;
  event.full_name = full_name != nullptr ? Printable(full_name) : Printable(name);
  std::free(full_name);
  return event;
}

std::vector<std::string> NearEventNames(std::string_view name, std::size_t max) {
  const std::string wanted = Lower(BareName(name));
  if (wanted.empty() || !Ready()) return {};
  // Names that contain the requested one come first, then those with the fewest differences.
  std::vector<std::tuple<std::size_t, std::string>> ranked;
  for (const pfm_pmu_info_t& table : PresentTables()) {
    for (int index = table.first_event; index != -1; index = ::pfm_get_event_next(index)) {
      pfm_event_info_t event{};
      event.size = sizeof event;
      if (::pfm_get_event_info(index, PFM_OS_NONE, &event) != PFM_SUCCESS) continue;
      const std::string known = Lower(event.name);
      const std::size_t distance = EditDistance(wanted, known);
      const bool contains = wanted.size() >= 3 && known.contains(wanted);
      if (!contains && distance > std::max<std::size_t>(2, wanted.size() / 3)) continue;
      ranked.emplace_back(contains ? 0 : distance, Printable(event.name));
    }
  }
  std::ranges::sort(ranked);
  std::vector<std::string> names;
  for (const auto& [distance, known] : ranked) {
    if (names.size() == max) break;
    if (std::ranges::find(names, known) == names.end()) names.push_back(known);
  }
  return names;
}

}  // namespace tare::pmu
