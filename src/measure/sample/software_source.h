// software_source.h: the counters of a running program built by tare-cc.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "format/software_counters.h"
#include "measure/sample/function_names.h"
#include "measure/sample/software_channels.h"
#include "measure/sample/source.h"

namespace tare::sample {

// What the counters could not record.
struct CounterLosses {
  std::uint64_t threads = 0;   // threads that found no free bank
  std::uint64_t children = 0;  // forked processes without a counter file
  std::uint64_t function_calls = 0;
};

// Which counters are read.
enum class CounterScope {
  kProgram,  // of the process, without libraries
  kProcess,  // of the process
  kTree,     // of all processes
};

class SoftwareSource {
 public:
  // The program creates its counter files in `directory` while it runs.
  SoftwareSource(std::filesystem::path directory, pid_t process, CounterScope scope,
                 MetricSelection selection);

  // Looks for new modules and processes. True if channels were added to Channels().
  bool Refresh();
  const std::vector<format::Channel>& Channels() const { return channels_.Channels(); }
  void Read(Values values);

  // The selected files, numbered as for SoftwareChannels::ReadSlot; valid until Refresh().
  std::size_t Files() const { return files_.size(); }
  format::CounterFile& File(std::size_t file) { return directory_.Files()[files_[file]]; }
  // Like Read, but reads the slots through `read` instead of from the files.
  void ReadFrom(const SoftwareChannels::ReadSlot& read, Values values) const {
    channels_.Read(read, values);
  }

  // False for a program that was not built by tare-cc.
  bool HasCounters() const { return !files_.empty(); }
  std::vector<format::AbsentChannel> Absent() const;
  std::map<std::string, Histogram> Histograms();
  CounterLosses Losses();

 private:
  SoftwareChannels::ReadSlot SlotReader();
  bool AddHookedFunctions();
  bool Wants(const format::CounterFile& file);

  format::CounterDirectory directory_;
  pid_t process_;
  CounterScope scope_;
  std::set<std::string> libraries_;  // left out
  SoftwareChannels channels_;
  std::size_t looked_at_ = 0;
  std::vector<std::size_t> files_;               // indices of the selected files in the directory
  std::map<std::size_t, FunctionNames> hooked_;  // by index in files_, for files of gcc's hooks
};

}  // namespace tare::sample
