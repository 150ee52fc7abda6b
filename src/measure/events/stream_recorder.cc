// stream_recorder.cc: finds the streams of a running program and takes them in order of arrival.
#include "measure/events/stream_recorder.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "binary/elf/elf_image.h"
#include "format/stream_reader.h"
#include "model/vpmu/stream_module.h"

namespace tare::events {
namespace {

using StreamClock = std::chrono::steady_clock;

format::AccessKind StreamKindOf(tare_stream_kind kind) {
  switch (kind) {
    case TARE_STREAM_STORE:
    case TARE_STREAM_MASKED_STORE:
      return format::AccessKind::kStore;
    case TARE_STREAM_ATOMIC:
      return format::AccessKind::kAtomic;
    case TARE_STREAM_COPY:
      return format::AccessKind::kCopy;
    case TARE_STREAM_SET:
      return format::AccessKind::kSet;
    case TARE_STREAM_LOAD:
    case TARE_STREAM_MASKED_LOAD:
      break;
  }
  return format::AccessKind::kLoad;
}

format::TraceBlock StretchBlockOf(const format::StreamStretch& stretch, std::uint64_t address,
                                  std::uint64_t load_bias, Content content) {
  format::TraceBlock made;
  made.address = address == 0 ? 0 : load_bias + address;
  if (content != Content::kAddresses) return made;
  made.words = stretch.words - 1u;
  for (const format::StreamAccess& access : stretch.accesses) {
    made.accesses.push_back({StreamKindOf(access.kind), access.bytes, access.word,
                             access.offset + (access.word == 0 ? load_bias : 0), 0});
  }
  return made;
}

class StreamRecorder {
 public:
  StreamRecorder(std::filesystem::path directory, Content content, TraceBuilder& builder,
                 const IsRecorded& is_recorded)
      : directory_(std::move(directory)),
        content_(content),
        builder_(builder),
        is_recorded_(is_recorded) {}

  Result<void> Run(const std::atomic<bool>& ended) {
    while (true) {
      // Must be read first: everything that existed when the program ended is then seen below.
      const bool last = ended.load(std::memory_order_acquire);
      if (last || StreamClock::now() >= next_look_) TRY_VOID(Look());
      TRY(const bool took, TakeAll(last));
      if (last) return {};
      if (!took) std::this_thread::sleep_for(std::chrono::microseconds(100));
      builder_.Pause();
    }
  }

 private:
  struct Module {
    vpmu::StreamModule stretches;
    std::string path;
  };
  struct Stream {
    format::StreamReader reader;
    const Module* module;
    bool recorded;
    std::uint32_t thread;
    std::vector<std::uint32_t> numbers;  // by stretch; kNoBlock: not yet seen
    std::vector<std::uint32_t> known;    // of TakeNumbers()
  };

  Result<void> Look() {
    constexpr std::string_view kPrefix = TARE_STREAM_FILE ".";
    std::error_code error;
    for (std::filesystem::directory_iterator entry(directory_, error), end; !error && entry != end;
         entry.increment(error)) {
      const std::string name = entry->path().filename().string();
      if (name.starts_with(kPrefix) && !streams_.contains(name) &&
          vpmu::HasStreamBegun(entry->path()))
        TRY_VOID(Open(name));
    }
    next_look_ = StreamClock::now() + std::chrono::milliseconds(2);
    return {};
  }

  Result<void> Open(const std::string& name) {
    TRY(auto reader, format::StreamReader::Open(directory_ / name));
    TRY(const Module* const module, ModuleOf(reader.ModulePath()));
    // The process waits for its reader, recorded or not.
    const bool recorded = is_recorded_(reader.process());
    const std::uint32_t thread =
        recorded ? builder_.ThreadNumber({reader.process(), reader.thread(), 0}) : 0;
    std::vector<std::uint32_t> numbers(module->stretches.descriptions.stretches().size(),
                                       format::kNoBlock);
    streams_.emplace(name,
                     Stream{std::move(reader), module, recorded, thread, std::move(numbers), {}});
    return {};
  }

  Result<const Module*> ModuleOf(const std::string& path) {
    const auto known = modules_.find(path);
    if (known != modules_.end()) return &known->second;
    TRY(auto read, vpmu::ReadStreamModule(path, content_ == Content::kAddresses));
    return &modules_.emplace(path, Module{std::move(read), path}).first->second;
  }

  // Adds the stretch to the trace's table.
  std::uint32_t Number(const Stream& stream, std::size_t stretch, std::uint64_t load_bias) {
    const Module& module = *stream.module;
    const std::uint64_t address = module.stretches.addresses[stretch];
    const std::uint32_t number = builder_.BlockNumber(StretchBlockOf(
        module.stretches.descriptions.stretches()[stretch], address, load_bias, content_));
    if (address != 0) {
      if (const elf::ElfImage* const image = images_.Open(module.path)) {
        if (const auto offset = image->FileOffsetOf(address))
          builder_.NameBlock(number, module.path, *offset);
      }
    }
    return number;
  }

  std::uint32_t NumberOf(Stream& stream, std::uint32_t stretch) {
    std::uint32_t& number = stream.numbers[stretch];
    if (number == format::kNoBlock) [[unlikely]]
      number = Number(stream, stretch, stream.reader.load_bias());
    return number;
  }

  Result<std::uint64_t> TakeAddresses(Stream& stream, bool last) {
    return stream.reader.Take(
        stream.module->stretches.descriptions, last, [&](const format::StreamRecord& record) {
          if (!stream.recorded) return;
          builder_.AddBlock(NumberOf(stream, record.index), record.words.subspan(1));
        });
  }

  Result<std::uint64_t> TakeBlocks(Stream& stream, bool last) {
    const auto number = [&](std::uint32_t stretch) {
      return stream.recorded ? NumberOf(stream, stretch) : 0;
    };
    std::uint64_t taken = 0;
    while (true) {
      TRY(const auto blocks, stream.reader.TakeNumbers(stream.module->stretches.descriptions, last,
                                                       stream.known, number));
      if (blocks.empty()) return taken;
      if (stream.recorded) builder_.AddBlocks(blocks);
      taken += blocks.size();
    }
  }

  Result<bool> TakeAll(bool last) {
    std::uint64_t records = 0;
    for (auto& [name, stream] : streams_) {
      if (stream.recorded) builder_.SetThread(stream.thread);
      TRY(const std::uint64_t taken,
          content_ == Content::kAddresses ? TakeAddresses(stream, last) : TakeBlocks(stream, last));
      records += taken;
      if (last && stream.recorded && stream.reader.CutShort())
        builder_.writer().AddLost(1, "the end of a thread's blocks did not arrive");
    }
    return records > 0;
  }

  std::filesystem::path directory_;
  Content content_;
  TraceBuilder& builder_;
  const IsRecorded& is_recorded_;
  count::Images images_;
  std::map<std::string, Module> modules_;
  std::map<std::string, Stream> streams_;
  StreamClock::time_point next_look_;
};

}  // namespace

Result<void> RecordStreams(const std::filesystem::path& directory, const std::atomic<bool>& ended,
                           Content content, TraceBuilder& builder, const IsRecorded& is_recorded) {
  return StreamRecorder(directory, content, builder, is_recorded).Run(ended);
}

}  // namespace tare::events
