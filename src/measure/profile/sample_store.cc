// sample_store.cc: interns places and stacks, so that memory grows with the number of samples and
// of different stacks only.
#include "measure/profile/sample_store.h"

#include <linux/perf_event.h>

#include <tuple>
#include <type_traits>
#include <utility>

#include "measure/profile/sampled_registers.h"

namespace tare::profile {
namespace {

// Addresses above this one are markers such as PERF_CONTEXT_USER.
constexpr auto kFirstMarker = static_cast<std::uint64_t>(PERF_CONTEXT_MAX);

}  // namespace

std::size_t SampleStore::VectorHash::operator()(const std::vector<std::uint32_t>& items) const {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const std::uint32_t item : items) hash = (hash ^ item) * 0x100000001b3;
  return hash;
}

std::uint32_t SampleStore::Place(std::uint64_t address, CodePlace place) {
  const auto next = static_cast<std::uint32_t>(places_.size());
  const auto [found, is_new] =
      place_numbers_.try_emplace({address, place.object, place.offset}, next);
  if (is_new) places_.push_back({address, place});
  return found->second;
}

std::uint32_t SampleStore::Thread(std::uint32_t process, std::uint32_t thread) {
  const auto next = static_cast<std::uint32_t>(threads_.size());
  const auto [found, is_new] =
      thread_numbers_.try_emplace(std::uint64_t{process} << 32 | thread, next);
  if (is_new) threads_.push_back({process, thread, {}});
  return found->second;
}

void SampleStore::NameThread(std::uint32_t process, std::uint32_t thread, std::string command) {
  threads_[Thread(process, thread)].command = std::move(command);
}

StoredPart SampleStore::Since(StoreMarks& marks) const {
  const auto from = [](const auto& items, std::size_t& mark) {
    const std::size_t first = std::exchange(mark, items.size());
    return std::remove_cvref_t<decltype(items)>(items.begin() + static_cast<std::ptrdiff_t>(first),
                                                items.end());
  };
  StoredPart part;
  part.objects = maps_.Objects();
  part.build_ids = maps_.BuildIds();
  part.places = from(places_, marks.places);
  std::size_t stacks = marks.stacks;
  part.links = from(links_, stacks);
  part.stacks = from(stacks_, marks.stacks);
  part.threads = threads_;
  part.mappings = from(maps_.History(), marks.mappings);
  part.samples = from(samples_, marks.samples);
  part.lost = lost_;
  part.throttled = throttled_;
  return part;
}

void SampleStore::Take(const PerfRecord& record) {
  switch (record.kind) {
    case RecordKind::kSample:
      TakeSample(record);
      break;
    case RecordKind::kMapping:
      maps_.Map(record.process, record.start, record.bytes, record.file_offset, record.name,
                record.time_ns, record.build_id);
      break;
    case RecordKind::kCommand:
      if (record.is_exec) maps_.Exec(record.process);
      NameThread(record.process, record.thread, record.name);
      break;
    case RecordKind::kFork: {
      maps_.Fork(record.process, record.parent_process);
      // A new thread has the name of its parent until it changes it.
      const std::uint32_t parent = Thread(record.parent_process, record.parent_process);
      std::string command = threads_[parent].command;
      NameThread(record.process, record.thread, std::move(command));
      break;
    }
    case RecordKind::kLost:
      lost_ += record.lost;
      break;
    case RecordKind::kThrottle:
      ++throttled_;
      break;
    case RecordKind::kExit:
    case RecordKind::kSwitch:
    case RecordKind::kOther:
      break;
  }
}

void SampleStore::TakeSample(const PerfRecord& record) {
  const auto timer = timers_.find(record.event);
  if (timer == timers_.end()) return;
  std::vector<std::uint32_t> stack;
  std::uint32_t link = format::kNoIndex;
  // A return address is behind its call.
  const auto add_user = [&](std::uint64_t address) {
    if (!stack.empty()) --address;
    stack.push_back(Place(address, maps_.Find(record.process, address)));
  };
  const auto add_kernel = [&](std::uint64_t address) {
    if (!stack.empty()) --address;
    stack.push_back(Place(address, maps_.Kernel(address)));
  };
  bool in_kernel = record.in_kernel;
  std::size_t users = 0;
  std::uint64_t caller = 0;  // of the first user address, unless the chain has it
  for (const std::uint64_t address : record.chain) {
    if (address >= kFirstMarker) {
      in_kernel = address == static_cast<std::uint64_t>(PERF_CONTEXT_KERNEL);
      if (address == static_cast<std::uint64_t>(PERF_CONTEXT_USER)) users = 0;
      continue;
    }
    if (in_kernel) {
      add_kernel(address);
      continue;
    }
    // The chain's next address after that of the leaf; the caller is missing if it is another one.
    if (++users == 2) {
      if (caller != 0 && caller != address) add_user(caller);
      caller = 0;
    }
    // The first user address behind a system call is not a return address of a call.
    if (users != 1) {
      if (address != 0) add_user(address);
      continue;
    }
    stack.push_back(Place(address, maps_.Find(record.process, address)));
    const LeafCaller leaf = find_caller_ ? find_caller_(record, address, maps_) : LeafCaller{};
    if (leaf.known == LeafCaller::Known::kYes) caller = leaf.address;
    const auto likely = SampledLink(record);
    if (leaf.known == LeafCaller::Known::kNo && stack.size() == 1 && likely && *likely != 0) {
      link = Place(*likely - 1, maps_.Find(record.process, *likely - 1));
    }
  }
  if (caller != 0) add_user(caller);
  if (stack.empty() && record.address != 0) {
    if (record.in_kernel) {
      add_kernel(record.address);
    } else if (!unwind_) {
      add_user(record.address);
    }
  }
  if (unwind_) {
    bool first = true;
    for (const std::uint64_t address : unwind_(record, maps_)) {
      const std::uint64_t at = first ? address : address - 1;
      stack.push_back(Place(at, maps_.Find(record.process, at)));
      first = false;
    }
  }
  if (stack.empty()) stack.push_back(Place(0, maps_.Find(record.process, 0)));
  std::vector<std::uint32_t> key = stack;
  key.push_back(link);
  const auto next = static_cast<std::uint32_t>(stacks_.size());
  const auto [found, is_new] = stack_numbers_.try_emplace(std::move(key), next);
  if (is_new) {
    stacks_.push_back(std::move(stack));
    links_.push_back(link);
  }
  samples_.push_back(
      {record.time_ns, found->second, Thread(record.process, record.thread), timer->second});
}

}  // namespace tare::profile
