// compiled_engine.cc: groups counter files by process and converts them to recordings.
#include "measure/engine/compiled_engine.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <tuple>

#include "format/software_counters.h"
#include "measure/engine/compiled_module.h"

namespace tare::engine {
namespace {

// Name of a counter file: "PROCESS.NUMBER".
struct FileName {
  std::uint64_t process = 0;
  std::uint64_t number = 0;
  std::filesystem::path path;
};

std::optional<FileName> ParseName(const std::filesystem::path& path) {
  const std::string name = path.filename().string();
  const char* end = name.data() + name.size();
  FileName parsed;
  parsed.path = path;
  const auto [dot, error] = std::from_chars(name.data(), end, parsed.process);
  if (error != std::errc() || dot == end || *dot != '.') return std::nullopt;
  const auto [last, other] = std::from_chars(dot + 1, end, parsed.number);
  if (other != std::errc() || last != end) return std::nullopt;
  return parsed;
}

std::vector<FileName> CounterFiles(const std::filesystem::path& directory) {
  std::vector<FileName> files;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(directory, error)) {
    if (auto name = ParseName(entry.path())) files.push_back(std::move(*name));
  }
  std::ranges::sort(files, {},
                    [](const FileName& file) { return std::tuple(file.process, file.number); });
  return files;
}

class Reader {
 public:
  // An error concerns this file only; the other files remain usable.
  Result<void> Add(const std::filesystem::path& path) {
    TRY(const auto file, format::CounterFile::Open(path));
    if (file.Blocks().empty()) return {};
    TRY(const auto image, Open(file.ModulePath()));
    const tare_counters_header header = file.Header();
    std::vector<std::uint64_t> slots(header.slots);
    file.Read(slots);
    TRY(auto module, SolveModule(*image, file.Blocks(), slots));
    format::Recording& recording = RecordingOf(header);
    recording.threads = std::max(recording.threads, header.banks_used);
    recording.lost_threads += header.lost_threads;
    recording.lost_children += header.lost_children;
    AddObjects(*image, file.ModulePath(), header.load_bias, recording);
    AddBlocks(header.load_bias, module, recording);
    AddCoverage(file.ModulePath(), module);
    return {};
  }

  void Refuse(const Error& error, const std::filesystem::path& path) {
    result_.caveats.push_back(
        {CaveatId::kIncomplete,
         fmt::format("compiled: {}: {}", path.filename().string(), error.message)});
  }

  CompiledRecordings Finish() && {
    for (auto& [key, recording] : recordings_) result_.recordings.push_back(std::move(recording));
    AddCaveats();
    return std::move(result_);
  }

 private:
  Result<const elf::ElfImage*> Open(const std::string& path) {
    const auto found = images_.find(path);
    if (found != images_.end()) return &found->second;
    TRY(auto image, elf::OpenElf(path));
    return &images_.emplace(path, std::move(image)).first->second;
  }

  // Index of `image` among the programs that the process executed, in order of execve(2).
  std::uint64_t GenerationOf(std::uint64_t process, std::uint64_t image) {
    auto& images = generations_[process];
    const auto found = std::ranges::find(images, image);
    if (found != images.end()) return static_cast<std::uint64_t>(found - images.begin());
    if (!images.empty()) {
      recordings_[{process, images.size() - 1}].state = TARE_WIRE_REPLACED;
    }
    images.push_back(image);
    return images.size() - 1;
  }

  format::Recording& RecordingOf(const tare_counters_header& header) {
    const std::uint64_t generation = GenerationOf(header.process, header.image);
    format::Recording& recording = recordings_[{header.process, generation}];
    recording.engine = TARE_WIRE_COMPILED;
    recording.machine = static_cast<std::uint16_t>(header.architecture);
    recording.process = header.process;
    recording.parent_process = header.parent_process;
    recording.generation = generation;
    if (header.state == TARE_COUNTERS_ENDED) recording.state = TARE_WIRE_SEALED;
    return recording;
  }

  static void AddObjects(const elf::ElfImage& image, const std::string& path, std::uint64_t bias,
                         format::Recording& recording) {
    struct stat status = {};
    if (stat(path.c_str(), &status) != 0) return;
    for (const elf::Segment& segment : image.segments()) {
      if (!segment.executable) continue;
      format::MappedObject object;
      object.start = bias + segment.address;
      object.end = object.start + segment.file_bytes;
      object.offset = segment.offset;
      object.device = status.st_dev;
      object.inode = status.st_ino;
      object.path = path;
      recording.objects.push_back(std::move(object));
    }
  }

  static void AddBlocks(std::uint64_t bias, CompiledModule& module, format::Recording& recording) {
    for (format::Block& block : module.blocks) {
      block.address += bias;
      const auto object = std::ranges::find_if(recording.objects, [&](const auto& one) {
        return one.start <= block.address && block.address < one.end;
      });
      if (object != recording.objects.end()) {
        block.object = static_cast<std::size_t>(object - recording.objects.begin());
      }
      recording.blocks.push_back(std::move(block));
    }
  }

  void AddCoverage(const std::string& path, const CompiledModule& module) {
    result_.coverage.objects.insert(path);
    for (const auto& [start, function] : module.functions) {
      InstructionBounds& bounds = result_.coverage.functions[{path, start}];
      bounds.low += function.low;
      bounds.high =
          function.high > UINT64_MAX - bounds.high ? UINT64_MAX : bounds.high + function.high;
      if (function.contradictory) ++contradictory_;
      branches_ += function.branches;
    }
  }

  void AddCaveats() {
    const auto [low, high] = result_.coverage.Total();
    const auto open = std::ranges::count_if(
        result_.coverage.functions, [](const auto& item) { return !item.second.IsExact(); });
    if (open > 0 || branches_ > 0) {
      result_.caveats.push_back(
          {CaveatId::kBoundsOnly,
           fmt::format(
               "compiled: {} functions with {} to {} instructions in total; {} branches", open, low,
               high == UINT64_MAX ? "an unknown number of" : fmt::to_string(high), branches_)});
    }
    if (contradictory_ > 0) {
      result_.caveats.push_back(
          {CaveatId::kIncomplete,
           fmt::format("compiled: {} functions did not return normally", contradictory_)});
    }
  }

  std::map<std::string, elf::ElfImage> images_;
  std::map<std::uint64_t, std::vector<std::uint64_t>> generations_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, format::Recording> recordings_;
  CompiledRecordings result_;
  std::uint64_t branches_ = 0;
  std::size_t contradictory_ = 0;
};

}  // namespace

Result<CompiledRecordings> ReadCompiledRun(const std::filesystem::path& directory,
                                           const std::string& name) {
  Reader reader;
  for (const FileName& file : CounterFiles(directory)) {
    if (const auto added = reader.Add(file.path); !added) reader.Refuse(added.error(), file.path);
  }
  CompiledRecordings result = std::move(reader).Finish();
  if (!result.recordings.empty()) return result;
  if (!result.caveats.empty()) {
    return Fail(ErrorKind::kUnsupported, result.caveats.front().detail);
  }
  return Fail(ErrorKind::kUnsupported,
              fmt::format("{} has no block counters; build it with tare-cc --tare-blocks", name));
}

}  // namespace tare::engine
