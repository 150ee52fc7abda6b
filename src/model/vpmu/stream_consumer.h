// stream_consumer.h: finds the streams of a running program and passes their accesses to models in
// order of arrival.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "base/result.h"
#include "format/stream_reader.h"
#include "model/core/core.h"
#include "model/vpmu/block_events.h"
#include "model/vpmu/stream_module.h"

namespace tare::vpmu {

// A stretch: code between two calls.
template <typename Events>
struct StreamPlace {
  std::uint64_t address =
      0;  // in the process, of the instruction that starts its record; 0: unknown
  Events events;
};

// One process.
template <typename Model>
struct StreamResult {
  using Events = BlockEventsOf<Model>::Type;

  std::uint64_t process = 0;
  // The number of accesses. An access longer than a line counts once per line; a copy and an atomic
  // access count as loads and as stores.
  std::uint64_t loads = 0;
  std::uint64_t stores = 0;
  std::vector<StreamPlace<Events>> places;  // in no particular order
  Model model;
  // There were several threads or modules. Their records were passed in order of arrival, which may
  // differ in another run.
  bool order_varies = false;
  // The program stopped waiting for its reader, and the rest is missing.
  bool cut_short = false;
};

// Feeds the streams of one process to its model, which is a model::Core or offers the same Access.
template <typename Model>
class StreamProcess {
 public:
  using Events = BlockEventsOf<Model>::Type;

  // The events of one module, by stretch.
  struct Part {
    const StreamModule* module = nullptr;
    std::uint64_t load_bias = 0;
    std::vector<Events> events;
  };

  StreamProcess(Model model, std::uint64_t process, unsigned line_bytes)
      : line_bytes_(line_bytes),
        result_{.process = process, .places = {}, .model = std::move(model)} {}

  // Adds another stream of this module.
  Part& AddStream(const StreamModule& module) {
    result_.order_varies = std::exchange(has_stream_, true);
    Part& part = parts_[&module];
    part.module = &module;
    while (part.events.size() < module.descriptions.stretches().size()) {
      if constexpr (std::is_same_v<Events, model::EventCounts>) {
        part.events.emplace_back();
      } else {
        part.events.emplace_back(stretches_++);
      }
    }
    return part;
  }

  void CutShort() { result_.cut_short = true; }
  // Whether there were impossible addresses, beyond the end of memory.
  bool IsDamaged() const { return damaged_; }

  StreamResult<Model> Finish() {
    for (auto& [module, part] : parts_) {
      for (std::size_t i = 0; i < part.events.size(); ++i) {
        const std::uint64_t address = module->addresses[i];
        result_.places.push_back(
            {address == 0 ? 0 : part.load_bias + address, std::move(part.events[i])});
      }
    }
    return std::move(result_);
  }

  void Feed(const format::StreamRecord& record, Part& part) {
    part.load_bias = record.load_bias;
    events_ = &part.events[record.index];
    // Descriptions are not memory of the program, so the addresses of their accesses identify
    // sites.
    std::uint64_t site = record.words[0];
    for (const format::StreamAccess& access : record.stretch.accesses) {
      site += sizeof(tare_stream_access);
      Feed(record, access, site);
    }
  }

 private:
  void Feed(const format::StreamRecord& record, const format::StreamAccess& access,
            std::uint64_t site) {
    const auto word = [&](std::uint64_t more) { return record.words[access.word + more]; };
    if (access.kind == TARE_STREAM_COPY) return Copy(word(0), word(1), word(2), site);
    if (access.kind == TARE_STREAM_SET) return Touch(word(0), word(1), true, site);
    const std::uint64_t address = (access.word == 0 ? record.load_bias : word(0)) + access.offset;
    const bool stores = access.kind == TARE_STREAM_STORE || access.kind == TARE_STREAM_MASKED_STORE;
    Touch(address, access.bytes, stores, site);
    if (access.kind == TARE_STREAM_ATOMIC) Touch(address, access.bytes, true, site);
  }

  // Copies line by line, as real code does, and not all of a long source before its destination.
  void Copy(std::uint64_t to, std::uint64_t from, std::uint64_t bytes, std::uint64_t site) {
    if (!Possible(to, bytes) || !Possible(from, bytes)) return;
    for (std::uint64_t done = 0; done < bytes; done += line_bytes_) {
      const std::uint64_t part = std::min<std::uint64_t>(line_bytes_, bytes - done);
      Touch(from + done, part, false, site);
      Touch(to + done, part, true, site);
    }
  }

  void Touch(std::uint64_t address, std::uint64_t bytes, bool store, std::uint64_t site) {
    if (!Possible(address, bytes)) return;
    if (bytes <= line_bytes_) {
      if (bytes > 0) TouchOnce(address, bytes, store, site);
      return;
    }
    const std::uint64_t end = address + bytes;
    while (address < end) {
      const std::uint64_t next = std::min(end, (address / line_bytes_ + 1) * line_bytes_);
      TouchOnce(address, next - address, store, site);
      address = next;
    }
  }

  void TouchOnce(std::uint64_t address, std::uint64_t bytes, bool store, std::uint64_t site) {
    ++(store ? result_.stores : result_.loads);
    result_.model.Access({.address = address,
                          .bytes = static_cast<std::uint32_t>(bytes),
                          .store = store,
                          .site = site},
                         *events_);
  }

  bool Possible(std::uint64_t address, std::uint64_t bytes) {
    const bool possible = bytes <= kMaxBytes && address <= UINT64_MAX - bytes;
    damaged_ = damaged_ || !possible;
    return possible;
  }

  // A larger copy means damaged data.
  static constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 40;

  std::uint64_t line_bytes_;
  StreamResult<Model> result_;
  std::map<const StreamModule*, Part> parts_;
  Events* events_ = nullptr;  // of the current stretch
  std::uint32_t stretches_ = 0;
  bool has_stream_ = false;
  bool damaged_ = false;
};

// Reads all streams of a directory.
template <typename Model>
class StreamConsumer {
 public:
  // `line_bytes`: longer accesses are split into lines.
  StreamConsumer(std::filesystem::path directory, unsigned line_bytes,
                 std::function<Result<Model>()> make_model)
      : directory_(std::move(directory)),
        line_bytes_(line_bytes),
        make_model_(std::move(make_model)) {}

  // Until `ended` is set and none is left. Returns one element per process, ordered by PID.
  Result<std::vector<StreamResult<Model>>> Consume(const std::atomic<bool>& ended) {
    // Reports an invalid description before waiting for the program.
    TRY_VOID(make_model_());
    while (true) {
      // Must be read first: everything that existed when the program ended is then seen below.
      const bool last = ended.load(std::memory_order_acquire);
      if (last || Clock::now() >= next_look_) TRY_VOID(Look());
      TRY(const bool took, TakeAll(last));
      if (last) break;
      if (!took) std::this_thread::sleep_for(kIdle);
    }
    std::vector<StreamResult<Model>> results;
    for (auto& [number, process] : processes_) results.push_back(process.Finish());
    return results;
  }

 private:
  using Clock = std::chrono::steady_clock;
  using Process = StreamProcess<Model>;
  static constexpr auto kLookEvery = std::chrono::milliseconds(2);
  static constexpr auto kIdle = std::chrono::microseconds(100);

  // The stream of one thread of one module.
  struct Stream {
    format::StreamReader reader;
    Process& process;
    typename Process::Part& part;
  };

  Result<void> Look() {
    constexpr std::string_view kPrefix = TARE_STREAM_FILE ".";
    std::vector<std::string> names;
    std::error_code error;
    for (std::filesystem::directory_iterator entry(directory_, error), end; !error && entry != end;
         entry.increment(error)) {
      const std::string name = entry->path().filename().string();
      if (name.starts_with(kPrefix) && !streams_.contains(name)) names.push_back(name);
    }
    std::ranges::sort(names);
    for (const std::string& name : names)
      if (HasStreamBegun(directory_ / name)) TRY_VOID(Open(name));
    next_look_ = Clock::now() + kLookEvery;
    return {};
  }

  Result<void> Open(const std::string& name) {
    TRY(auto reader, format::StreamReader::Open(directory_ / name));
    TRY(const auto* const module, ModuleOf(reader.ModulePath()));
    TRY(auto* const process, ProcessOf(reader.process()));
    streams_.emplace(name, Stream{std::move(reader), *process, process->AddStream(*module)});
    return {};
  }

  Result<const StreamModule*> ModuleOf(const std::string& path) {
    const auto known = modules_.find(path);
    if (known != modules_.end()) return &known->second;
    TRY(auto read, ReadStreamModule(path, true));
    return &modules_.emplace(path, std::move(read)).first->second;
  }

  Result<Process*> ProcessOf(std::uint64_t number) {
    const auto known = processes_.find(number);
    if (known != processes_.end()) return &known->second;
    TRY(auto made, make_model_());
    Process process(std::move(made), number, line_bytes_);
    return &processes_.emplace(number, std::move(process)).first->second;
  }

  Result<bool> TakeAll(bool last) {
    std::uint64_t records = 0;
    for (auto& [name, stream] : streams_) {
      Process& process = stream.process;
      typename Process::Part& part = stream.part;
      TRY(const std::uint64_t taken,
          stream.reader.Take(part.module->descriptions, last,
                             [&](const auto& record) { process.Feed(record, part); }));
      records += taken;
      if (process.IsDamaged())
        return Fail(ErrorKind::kFormat, fmt::format("{}: an impossible address", name));
      if (last && stream.reader.CutShort()) process.CutShort();
    }
    return records > 0;
  }

  std::filesystem::path directory_;
  unsigned line_bytes_;
  std::function<Result<Model>()> make_model_;
  std::map<std::string, StreamModule> modules_;
  std::map<std::uint64_t, Process> processes_;
  std::map<std::string, Stream> streams_;
  Clock::time_point next_look_;
};

}  // namespace tare::vpmu
