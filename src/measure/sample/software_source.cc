// software_source.cc: a directory of counter files as one source.
#include "measure/sample/software_source.h"

#include <utility>

namespace tare::sample {

SoftwareSource::SoftwareSource(std::filesystem::path directory, pid_t process, CounterScope scope,
                               MetricSelection selection)
    : directory_(std::move(directory)),
      process_(process),
      scope_(scope),
      channels_(std::move(selection)) {}

bool SoftwareSource::Wants(const format::CounterFile& file) {
  const tare_counters_header header = file.Header();
  if (scope_ == CounterScope::kTree) return true;
  if (header.process != static_cast<std::uint64_t>(process_)) return false;
  if (scope_ == CounterScope::kProcess || header.is_library == 0) return true;
  libraries_.insert(std::filesystem::path(file.ModulePath()).filename());
  return false;
}

bool SoftwareSource::Refresh() {
  bool more = AddHookedFunctions();
  // If the directory cannot be read, nothing is added; the program continues to count.
  if (!directory_.Refresh().value_or(false)) return more;
  const auto files = directory_.Files();
  for (; looked_at_ < files.size(); ++looked_at_) {
    const format::CounterFile& file = files[looked_at_];
    if (!Wants(file)) continue;
    if (file.Header().function_slots > 0) {
      hooked_.emplace(files_.size(), FunctionNames(file.ModulePath()));
    }
    files_.push_back(looked_at_);
    more = channels_.Add({file.Header().process, file.Metrics(), file.Entries()}) || more;
  }
  return AddHookedFunctions() || more;
}

bool SoftwareSource::AddHookedFunctions() {
  bool more = false;
  for (auto& [file, names] : hooked_) {
    const auto metrics = names.Unseen(directory_.Files()[files_[file]]);
    more = channels_.AddTo(file, metrics) || more;
  }
  return more;
}

SoftwareChannels::ReadSlot SoftwareSource::SlotReader() {
  return [this, files = directory_.Files()](std::size_t file, std::uint64_t slot,
                                            format::SlotKind kind) {
    return files[files_[file]].ReadSlot(slot, kind);
  };
}

void SoftwareSource::Read(Values values) { channels_.Read(SlotReader(), values); }

std::vector<format::AbsentChannel> SoftwareSource::Absent() const {
  std::vector<format::AbsentChannel> absent = channels_.Absent();
  for (const Error& refused : directory_.Refused()) {
    absent.push_back({"counters of a module", "software", refused.message});
  }
  for (const std::string& library : libraries_) {
    absent.push_back(
        {"metrics of " + library, "software",
         "the signal sampler runs in the program, not in its libraries; use --sampler observer"});
  }
  return absent;
}

std::map<std::string, Histogram> SoftwareSource::Histograms() {
  return channels_.Histograms(SlotReader());
}

CounterLosses SoftwareSource::Losses() {
  CounterLosses losses;
  for (const std::size_t file : files_) {
    const tare_counters_header header = directory_.Files()[file].Header();
    losses.threads += header.lost_threads;
    losses.children += header.lost_children;
    losses.function_calls += header.functions_lost;
  }
  return losses;
}

}  // namespace tare::sample
