// compiled_stream.cc: finds streams and passes their accesses to the models in order of arrival.
#include "model/vpmu/compiled_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <deque>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "base/file.h"
#include "binary/elf/elf_file.h"
#include "binary/elf/elf_image.h"
#include "format/counter_sites.h"
#include "format/counters_wire.h"
#include "format/stream_reader.h"
#include "model/core/core.h"

namespace tare::vpmu {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kLookEvery = std::chrono::milliseconds(2);
constexpr auto kIdle = std::chrono::microseconds(100);
// A larger copy means damaged data.
constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 40;

// The stretches of a module, read from its file.
struct Module {
  format::StreamDescriptions descriptions;
  std::vector<std::uint64_t> addresses;  // address of each stretch in the file; 0: unknown
};

// One process and its core.
class Process {
 public:
  // The events of one module, by stretch.
  struct Part {
    const Module* module = nullptr;
    std::uint64_t load_bias = 0;
    std::vector<model::EventCounts> events;
  };

  Process(model::Core core, std::uint64_t process, unsigned line_bytes)
      : core_(std::move(core)), line_bytes_(line_bytes) {
    result_.process = process;
  }

  // Adds another stream of this module.
  Part& AddStream(const Module& module) {
    result_.order_varies = std::exchange(has_stream_, true);
    Part& part = parts_[&module];
    part.module = &module;
    part.events.resize(module.descriptions.stretches().size());
    return part;
  }

  void CutShort() { result_.cut_short = true; }
  // Whether there were impossible addresses, beyond the end of memory.
  bool IsDamaged() const { return damaged_; }

  CompiledEvents Finish() {
    for (const auto& [module, part] : parts_) Sum(part);
    std::ranges::sort(result_.places, {}, &CompiledPlace::address);
    return std::move(result_);
  }

  void Feed(const format::StreamRecord& record, Part& part) {
    part.load_bias = record.load_bias;
    const auto stretch = &record.stretch - part.module->descriptions.stretches().data();
    events_ = &part.events[static_cast<std::size_t>(stretch)];
    // Descriptions are not memory of the program, so the addresses of their accesses identify
    // sites.
    std::uint64_t site = record.words[0];
    for (const format::StreamAccess& access : record.stretch.accesses) {
      site += sizeof(tare_stream_access);
      Feed(record, access, site);
    }
  }

 private:
  void Sum(const Part& part) {
    for (std::size_t stretch = 0; stretch < part.events.size(); ++stretch) {
      const model::EventCounts& events = part.events[stretch];
      const std::uint64_t address = part.module->addresses[stretch];
      result_.events += events;
      if (address != 0 && events != model::EventCounts())
        result_.places.push_back({part.load_bias + address, events});
    }
  }

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
    core_.Access({.address = address,
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

  model::Core core_;
  std::uint64_t line_bytes_;
  CompiledEvents result_;
  std::map<const Module*, Part> parts_;
  model::EventCounts* events_ = nullptr;  // of the current stretch
  bool has_stream_ = false;
  bool damaged_ = false;
};

// Addresses by unit and number; the lowest if there are several instructions.
Result<std::map<std::pair<std::uint64_t, std::uint32_t>, std::uint64_t>> ReadSites(
    const elf::Section& section) {
  std::map<std::pair<std::uint64_t, std::uint32_t>, std::uint64_t> addresses;
  TRY(const auto sites, format::ReadCounterSites(section.contents, section.address));
  for (const format::CounterSite& site : sites) {
    const std::uint64_t address = std::ranges::min(site.addresses);
    const auto known = addresses.try_emplace({site.unit, site.slot}, address).first;
    known->second = std::min(known->second, address);
  }
  return addresses;
}

Result<Module> ReadModule(const std::string& path) {
  TRY(const auto image, elf::OpenElf(path));
  TRY(const auto file, elf::ReadElfFile(image.bytes()));
  const elf::Section* const section = file.FindSection(TARE_STREAM_SECTION);
  if (section == nullptr)
    return Fail(
        ErrorKind::kFormat,
        fmt::format("{} has no descriptions of its stream: the file has been replaced", path));
  Module module;
  TRY(module.descriptions, format::StreamDescriptions::Parse(section->contents, section->address));
  const elf::Section* const of_sites = file.FindSection(TARE_STREAM_SITES_SECTION);
  TRY(const auto sites, ReadSites(of_sites == nullptr ? elf::Section() : *of_sites));
  for (const format::StreamStretch& stretch : module.descriptions.stretches()) {
    const auto found = sites.find({stretch.unit, stretch.number});
    module.addresses.push_back(found == sites.end() ? 0 : found->second);
  }
  return module;
}

// False for a file that its thread has created but not initialized.
bool HasBegun(const std::filesystem::path& path) {
  std::uint64_t magic = 0;
  std::ifstream file(path, std::ios::binary);
  return file.read(reinterpret_cast<char*>(&magic), sizeof magic).good() && magic != 0;
}

class Consumer {
 public:
  Consumer(const model::Processor& processor, std::filesystem::path directory)
      : processor_(processor), directory_(std::move(directory)) {}

  Result<std::vector<CompiledEvents>> Consume(const std::atomic<bool>& ended) {
    // Reports an invalid description before waiting for the program.
    TRY_VOID(model::Core::Make(processor_));
    while (true) {
      // Must be read first: everything that existed when the program ended is then seen below.
      const bool last = ended.load(std::memory_order_acquire);
      if (last || Clock::now() >= next_look_) TRY_VOID(Look());
      TRY(const bool took, TakeAll(last));
      if (last) break;
      if (!took) std::this_thread::sleep_for(kIdle);
    }
    std::vector<CompiledEvents> events;
    for (auto& [number, process] : processes_) events.push_back(process.Finish());
    return events;
  }

 private:
  // The stream of one thread of one module.
  struct Stream {
    format::StreamReader reader;
    Process& process;
    Process::Part& part;
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
      if (HasBegun(directory_ / name)) TRY_VOID(Open(name));
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

  Result<const Module*> ModuleOf(const std::string& path) {
    const auto known = modules_.find(path);
    if (known != modules_.end()) return &known->second;
    TRY(auto read, ReadModule(path));
    return &modules_.emplace(path, std::move(read)).first->second;
  }

  Result<Process*> ProcessOf(std::uint64_t number) {
    const auto known = processes_.find(number);
    if (known != processes_.end()) return &known->second;
    TRY(auto core, model::Core::Make(processor_));
    Process process(std::move(core), number, processor_.l1d.line_bytes);
    return &processes_.emplace(number, std::move(process)).first->second;
  }

  Result<bool> TakeAll(bool last) {
    std::uint64_t records = 0;
    for (auto& [name, stream] : streams_) {
      Process& process = stream.process;
      Process::Part& part = stream.part;
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

  const model::Processor& processor_;
  std::filesystem::path directory_;
  std::map<std::string, Module> modules_;
  std::map<std::uint64_t, Process> processes_;
  std::map<std::string, Stream> streams_;
  Clock::time_point next_look_;
};

}  // namespace

Result<void> RequestStreams(const std::filesystem::path& directory) {
  tare_counters_request request = {};
  request.version = TARE_COUNTERS_VERSION;
  request.stream = TARE_STREAM_DELIVER;
  std::string bytes(sizeof request, '\0');
  std::memcpy(bytes.data(), &request, sizeof request);
  return WriteFileAtomically(directory / TARE_RUN_REQUEST, bytes);
}

Result<std::vector<CompiledEvents>> ConsumeCompiled(const model::Processor& processor,
                                                    const std::filesystem::path& directory,
                                                    const std::atomic<bool>& ended) {
  return Consumer(processor, directory).Consume(ended);
}

}  // namespace tare::vpmu
