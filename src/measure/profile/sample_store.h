// sample_store.h: turns the kernel's records into samples whose call chains are places in files.
#pragma once

#include <cstddef>
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

// How much of a store was taken before.
struct StoreMarks {
  std::size_t places = 0;
  std::size_t stacks = 0;
  std::size_t mappings = 0;
  std::size_t samples = 0;
};

// What a store has more than at its marks. Objects and threads are all that there are, because more
// may be known of each.
struct StoredPart {
  std::vector<std::string> objects;
  std::vector<std::string> build_ids;  // by object
  std::vector<StoredPlace> places;
  std::vector<format::ProfileStack> stacks;  // of places
  // The link register of the stack's samples as a place, where it is not known whether it has the
  // caller; otherwise kNoIndex.
  std::vector<std::uint32_t> links;
  std::vector<format::ProfileThread> threads;
  std::vector<format::ProfileMapping> mappings;
  std::vector<format::ProfileSample> samples;
  std::uint64_t lost = 0;
  std::uint64_t throttled = 0;
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

  // What came after `marks`, which move to the end.
  StoredPart Since(StoreMarks& marks) const;

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
  std::vector<format::ProfileStack> stacks_;
  std::vector<std::uint32_t> links_;  // by stack
  std::unordered_map<std::vector<std::uint32_t>, std::uint32_t, VectorHash> stack_numbers_;
  std::vector<format::ProfileThread> threads_;
  std::unordered_map<std::uint64_t, std::uint32_t> thread_numbers_;
  std::vector<format::ProfileSample> samples_;
  std::uint64_t lost_ = 0;
  std::uint64_t throttled_ = 0;
};

}  // namespace tare::profile
