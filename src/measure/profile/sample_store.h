// sample_store.h: turns the kernel's records into samples whose call chains are places in files.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "format/sampled_profile.h"
#include "measure/profile/leaf_caller.h"
#include "measure/profile/perf_records.h"
#include "measure/profile/process_maps.h"

namespace tare::profile {

// A sampled address or the address of a call, before it is named.
struct StoredPlace {
  std::uint64_t address = 0;
  CodePlace place;
};

// Returns the addresses of the callers of a sample, unwound from its registers and stack.
using UnwindSample =
    std::function<std::vector<std::uint64_t>(const PerfRecord& sample, ProcessMaps& maps)>;

class SampleStore {
 public:
  // `unwind` is for samples with copied stacks, `find_caller` for chains by frame pointer; both may
  // be empty.
  SampleStore(ProcessMaps::ReadMaps read_maps, UnwindSample unwind, FindLeafCaller find_caller = {})
      : maps_(std::move(read_maps)),
        unwind_(std::move(unwind)),
        find_caller_(std::move(find_caller)) {}

  // Events with these identifiers belong to timer `timer`; samples of others are ignored.
  void AddEvent(std::uint64_t event, std::uint32_t timer) { timers_[event] = timer; }
  void NameThread(std::uint32_t process, std::uint32_t thread, std::string command);

  // Records must arrive in order of time.
  void Take(const PerfRecord& record);

  ProcessMaps& Maps() { return maps_; }
  const std::vector<StoredPlace>& Places() const { return places_; }
  const std::vector<std::vector<std::uint32_t>>& Stacks() const { return stacks_; }
  // The link register of the stack's samples as a place, where it is not known whether it has the
  // caller; otherwise kNoIndex.
  const std::vector<std::uint32_t>& LinkPlaces() const { return links_; }
  const std::vector<format::ProfileThread>& Threads() const { return threads_; }
  std::vector<format::ProfileSample>& Samples() { return samples_; }
  std::uint64_t Lost() const { return lost_; }
  std::uint64_t Throttled() const { return throttled_; }

 private:
  struct VectorHash {
    std::size_t operator()(const std::vector<std::uint32_t>& items) const;
  };

  void TakeSample(const PerfRecord& record);
  std::uint32_t Place(std::uint64_t address, CodePlace place);
  std::uint32_t Thread(std::uint32_t process, std::uint32_t thread);

  ProcessMaps maps_;
  UnwindSample unwind_;
  FindLeafCaller find_caller_;
  std::unordered_map<std::uint64_t, std::uint32_t> timers_;
  std::vector<StoredPlace> places_;
  std::map<std::tuple<std::uint64_t, std::uint32_t, std::uint64_t>, std::uint32_t> place_numbers_;
  std::vector<std::vector<std::uint32_t>> stacks_;
  std::vector<std::uint32_t> links_;
  std::unordered_map<std::vector<std::uint32_t>, std::uint32_t, VectorHash> stack_numbers_;
  std::vector<format::ProfileThread> threads_;
  std::unordered_map<std::uint64_t, std::uint32_t> thread_numbers_;
  std::vector<format::ProfileSample> samples_;
  std::uint64_t lost_ = 0;
  std::uint64_t throttled_ = 0;
};

}  // namespace tare::profile
