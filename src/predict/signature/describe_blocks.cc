// describe_blocks.cc: blocks by function, one graph per function, then one Block per recorded one.
#include "predict/signature/describe_blocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "binary/code/jump_tables.h"
#include "binary/dwarf/separate_debug_file.h"
#include "binary/elf/elf_image.h"
#include "predict/signature/code_graph.h"
#include "predict/signature/dependences.h"
#include "predict/signature/instruction_work.h"

namespace tare::signature {
namespace {

using decode::Architecture;
using decode::BranchKind;

struct SourceText {
  std::string file;
  std::uint32_t line = 0;
};

// What is needed of the files whose code ran, each read once.
class SourceMaps {
 public:
  explicit SourceMaps(count::Images& images) : images_(images) {}

  SourceText At(const std::string& path, std::uint64_t address) {
    const dwarf::SourceMap* map = Open(path);
    if (map == nullptr) return {};
    const auto line = map->LineAt(address);
    if (!line || line->file == dwarf::kUnknown) return {};
    return {map->files()[line->file], line->line};
  }

 private:
  const dwarf::SourceMap* Open(const std::string& path) {
    const auto [found, is_new] = maps_.try_emplace(path);
    if (!is_new) return found->second.get();
    const elf::ElfImage* image = images_.Open(path);
    if (image == nullptr) return nullptr;
    if (auto map = dwarf::FindSourceMap(*image, path))
      found->second = std::make_unique<dwarf::SourceMap>(*std::move(map));
    return found->second.get();
  }

  count::Images& images_;
  std::map<std::string, std::unique_ptr<dwarf::SourceMap>> maps_;
};

// Where a block's code is in a file; no image for code without one.
struct CodePlace {
  const format::MappedObject* object = nullptr;
  const elf::ElfImage* image = nullptr;
  std::uint64_t offset = 0;   // in the file
  std::uint64_t address = 0;  // of the file; with `image`
  const elf::Function* function = nullptr;
};

class Describer {
 public:
  Describer(const format::Recording& recording, Architecture architecture, count::Images& images,
            std::vector<Object>& objects)
      : recording_(recording),
        architecture_(architecture),
        images_(images),
        maps_(images),
        objects_(objects),
        decoder_(architecture) {}

  DescribedCode Describe() && {
    code_.blocks.resize(recording_.blocks.size());
    for (std::size_t i = 0; i < recording_.blocks.size(); ++i) {
      places_.push_back(PlaceOf(recording_.blocks[i]));
      SetPlace(i);
      functions_[KeyOf(i)].push_back(i);
    }
    for (const auto& [key, blocks] : functions_) DescribeFunction(blocks);
    return std::move(code_);
  }

 private:
  // Blocks of one function; code without functions is grouped by its mapping.
  using FunctionKey = std::pair<std::size_t, std::uint64_t>;

  CodePlace PlaceOf(const format::Block& block) {
    CodePlace place;
    place.offset = block.address;
    if (!block.object) return place;
    place.object = &recording_.objects[*block.object];
    if (place.object->inode == 0 || place.object->path.empty()) return place;
    place.offset = block.address - place.object->start + place.object->offset;
    place.image = images_.Open(place.object->path);
    if (place.image == nullptr) return place;
    const auto address = place.image->AddressOf(place.offset);
    if (!address) {
      place.image = nullptr;
      return place;
    }
    place.address = *address;
    place.function = place.image->FunctionAt(*address);
    return place;
  }

  FunctionKey KeyOf(std::size_t index) const {
    const CodePlace& place = places_[index];
    const std::optional<std::size_t> object = recording_.blocks[index].object;
    return {object ? *object + 1 : 0, place.function != nullptr ? place.function->start : 0};
  }

  std::uint32_t ObjectOf(const CodePlace& place) {
    const std::string path =
        place.object != nullptr && place.object->inode != 0 ? place.object->path : "";
    const auto found = std::ranges::find(objects_, path, &Object::path);
    if (found != objects_.end()) return static_cast<std::uint32_t>(found - objects_.begin());
    Object object;
    object.path = path;
    if (const elf::ElfImage* image = path.empty() ? nullptr : images_.Open(path)) {
      object.build_id = image->build_id();
      object.bytes = image->file_bytes();
    }
    objects_.push_back(std::move(object));
    return static_cast<std::uint32_t>(objects_.size() - 1);
  }

  // The first of `addresses` (at run time) that has a line: compilers give some instructions none.
  SourceText SourceOf(const CodePlace& place, std::uint64_t run_time,
                      std::span<const std::uint64_t> addresses) {
    if (place.image == nullptr) return {};
    SourceText best;
    for (const std::uint64_t address : addresses) {
      SourceText source = maps_.At(place.object->path, place.address + address - run_time);
      if (source.line != 0) return source;
      if (best.file.empty()) best = std::move(source);
    }
    return best;
  }

  std::vector<std::uint64_t> AddressesIn(const format::Block& block) {
    std::vector<std::uint64_t> addresses;
    std::size_t at = 0;
    for (std::uint32_t i = 0; i < block.instructions; ++i) {
      addresses.push_back(block.address + at);
      const auto decoded = decoder_.TryDecode(std::span(block.code).subspan(at), addresses.back());
      if (!decoded) break;
      at += decoded->length;
    }
    return addresses;
  }

  void SetPlace(std::size_t index) {
    const format::Block& recorded = recording_.blocks[index];
    const CodePlace& place = places_[index];
    Block& block = code_.blocks[index];
    block.object = ObjectOf(place);
    block.offset = place.offset;
    block.bytes = static_cast<std::uint32_t>(recorded.code.size());
    block.executions = recorded.executions;
    if (place.function != nullptr) block.function = place.function->name;
    SourceText source = SourceOf(place, recorded.address, AddressesIn(recorded));
    block.file = std::move(source.file);
    block.line = source.line;
  }

  // At run-time addresses.
  code::JumpTargets JumpsOf(const CodePlace& place, std::uint64_t address) {
    if (place.image == nullptr || place.function == nullptr) return {};
    const std::uint64_t bias = address - place.address;
    code::JumpTargets jumps;
    for (auto& [jump, targets] :
         code::FindJumpTargets(*place.image, *place.function, decoder_, {})) {
      for (std::uint64_t& target : targets) target += bias;
      jumps[jump + bias] = std::move(targets);
    }
    return jumps;
  }

  bool JumpsIndirectly(const std::vector<RecordedBlock>& blocks) {
    for (const RecordedBlock& block : blocks) {
      std::size_t at = 0;
      for (std::uint32_t i = 0; i < block.instructions; ++i) {
        const auto decoded = decoder_.TryDecode(block.code.subspan(at), block.address + at);
        if (!decoded) break;
        if (decoded->branch == BranchKind::kIndirectJump) return true;
        at += decoded->length;
      }
    }
    return false;
  }

  void DescribeFunction(const std::vector<std::size_t>& indices) {
    std::vector<RecordedBlock> blocks;
    for (const std::size_t index : indices) {
      const format::Block& block = recording_.blocks[index];
      blocks.push_back({block.address, block.code, block.instructions, block.executions,
                        block.conditional, block.second});
    }
    code::JumpTargets jumps;
    if (JumpsIndirectly(blocks)) jumps = JumpsOf(places_[indices.front()], blocks.front().address);
    const CodeGraph graph = BuildCodeGraph(architecture_, blocks, jumps);
    const auto dependences = FindDependences(architecture_, graph);
    const auto first_loop = static_cast<std::uint32_t>(code_.loops.size());
    AddLoops(graph, dependences, indices, first_loop);
    for (const std::size_t index : indices) {
      Block& block = code_.blocks[index];
      const std::uint32_t loop = LoopOf(recording_.blocks[index], graph);
      if (loop != kNoLoop) block.loop = first_loop + loop;
      AddInstructions(recording_.blocks[index], graph, dependences.steps, block);
    }
  }

  // The loop that has most of the block's instructions: the first iteration of a loop is often part
  // of a block that begins before it.
  static std::uint32_t LoopOf(const format::Block& block, const CodeGraph& graph) {
    std::map<std::uint32_t, std::size_t> instructions;
    auto step = graph.step_at.find(block.address);
    if (step == graph.step_at.end()) return kNoLoop;
    const std::size_t first = step->second;
    const std::size_t end = std::min(first + block.instructions, graph.steps.size());
    for (std::size_t i = first; i < end; ++i) ++instructions[graph.pieces[graph.piece_of[i]].loop];
    return std::ranges::max_element(instructions, {}, [](const auto& loop) { return loop.second; })
        ->first;
  }

  void AddLoops(const CodeGraph& graph, const Dependences& dependences,
                const std::vector<std::size_t>& indices, std::uint32_t first) {
    const CodePlace& known = places_[indices.front()];
    const std::uint64_t known_address = recording_.blocks[indices.front()].address;
    for (std::size_t i = 0; i < graph.loops.size(); ++i) {
      const CodeLoop& loop = graph.loops[i];
      Loop described;
      described.chain_span = dependences.chain_spans[i];
      if (known.function != nullptr) described.function = known.function->name;
      const CodePiece& header = graph.pieces[loop.header];
      std::vector<std::uint64_t> addresses;
      for (std::size_t step = 0; step < header.steps; ++step)
        addresses.push_back(graph.steps[header.first + step].address);
      SourceText source = SourceOf(known, known_address, addresses);
      described.file = std::move(source.file);
      described.line = source.line;
      described.parent = loop.parent == kNoLoop ? kNoLoop : first + loop.parent;
      described.entries = loop.entries;
      described.iterations = loop.iterations;
      code_.loops.push_back(std::move(described));
    }
  }

  void AddInstructions(const format::Block& recorded, const CodeGraph& graph,
                       const std::vector<StepDependence>& dependences, Block& block) {
    std::size_t at = 0;
    std::set<std::pair<std::uint8_t, std::uint8_t>> places;  // registers of addresses
    block.instructions = recorded.instructions;
    for (std::uint32_t i = 0; i < recorded.instructions; ++i) {
      const std::uint64_t address = recorded.address + at;
      const auto decoded =
          decode::Decode(architecture_, std::span(recorded.code).subspan(at), address);
      if (!decoded) {
        // The start of the next instruction is unknown.
        const double rest = recorded.instructions - i;
        block.categories[static_cast<std::size_t>(decode::Category::kUnclassified)] += rest;
        block.work[static_cast<std::size_t>(Work::kOther)] += rest;
        return;
      }
      const auto step = graph.step_at.find(address);
      AddInstruction(recorded, *decoded,
                     step == graph.step_at.end() ? StepDependence{} : dependences[step->second],
                     block);
      if (step != graph.step_at.end() && decoded->loads > 0) {
        const auto& memory = graph.steps[step->second].use.memory;
        if (memory) places.insert({memory->base, memory->index});
      }
      at += decoded->length;
    }
    block.load_places = static_cast<double>(places.size());
  }

  void AddInstruction(const format::Block& recorded, const decode::Instruction& it,
                      const StepDependence& dependence, Block& block) {
    ++block.categories[static_cast<std::size_t>(it.category)];
    double accesses = 1;
    if (recorded.repeated && it.repeated && recorded.executions > 0) {
      accesses = static_cast<double>(recorded.second) / static_cast<double>(recorded.executions);
    }
    AddWork(architecture_, it, accesses, block.work);
    if (const auto work = FloatWorkOf(architecture_, it)) AddFloat(*work, block.floats);
    const double loads = accesses * it.loads;
    if (dependence.address == AddressKind::kIndependent)
      block.loads_by_address.independent += loads;
    if (dependence.address == AddressKind::kIndirect) block.loads_by_address.indirect += loads;
    if (dependence.address == AddressKind::kChained) block.loads_by_address.chained += loads;
    const auto add = [&block](Work work, double count) {
      block.chain[static_cast<std::size_t>(work)] += count;
    };
    add(Work::kLoad, dependence.load);
    add(Work::kStore, dependence.store);
    add(Work::kInteger, dependence.step);
    if (dependence.operation > 0)
      add(OperationOf(architecture_, it).value_or(Work::kOther), dependence.operation);
  }

  static void AddFloat(const FloatWork& work, std::vector<FloatWork>& to) {
    const auto same = std::ranges::find_if(to, [&](const FloatWork& other) {
      return other.work == work.work && other.element_bytes == work.element_bytes &&
             other.lanes == work.lanes;
    });
    if (same == to.end()) {
      to.push_back(work);
      return;
    }
    same->instructions += work.instructions;
    same->operations += work.operations;
  }

  const format::Recording& recording_;
  Architecture architecture_;
  count::Images& images_;
  SourceMaps maps_;
  std::vector<Object>& objects_;
  decode::Decoder decoder_;
  std::vector<CodePlace> places_;  // by block
  std::map<FunctionKey, std::vector<std::size_t>> functions_;
  DescribedCode code_;
};

void CopyUse(const BlockUse& use, Block& block) {
  block.executions = use.executions;
  block.mispredictions = use.mispredictions;
  block.loads = use.loads;
  block.stores = use.stores;
  block.load_bytes = use.load_bytes;
  block.store_bytes = use.store_bytes;
  block.strides = use.strides;
  block.near = use.near;
  block.far = use.far;
  block.pages = use.pages;
}

// The program among the files whose code ran. The loader is one of them, and the C library names an
// interpreter, too, because it can be run.
std::string ProgramOf(const format::Recording& recording, count::Images& images) {
  std::string first;
  for (const format::MappedObject& object : recording.objects) {
    if (object.path.empty() || object.inode == 0) continue;
    if (first.empty()) first = object.path;
    if (std::filesystem::path(object.path).filename().string().contains(".so")) continue;
    const elf::ElfImage* image = images.Open(object.path);
    if (image == nullptr) continue;
    const bool is_static = image->is_static() && image->type() == elf::FileType::kExecutable;
    if (!image->interpreter().empty() || is_static) return object.path;
  }
  return first;
}

Part DescribedPart(const CollectedPart& collected, const format::Recording& recording,
                   const DescribedCode& code, count::Images& images) {
  Part part;
  part.process = collected.recording + 1;
  part.thread = collected.thread;
  part.program = ProgramOf(recording, images);
  part.loops = code.loops;
  for (std::size_t i = 0; i < recording.blocks.size(); ++i) {
    const std::uint64_t number = recording.blocks[i].number;
    if (number >= collected.blocks.size()) continue;
    const BlockUse& use = collected.blocks[number];
    if (use.executions == 0) continue;
    Block block = code.blocks[i];
    CopyUse(use, block);
    part.blocks.push_back(std::move(block));
  }
  std::ranges::stable_sort(part.blocks, std::ranges::greater{}, &Block::References);
  return part;
}

}  // namespace

DescribedCode DescribeCode(const format::Recording& recording, Architecture architecture,
                           count::Images& images, std::vector<Object>& objects) {
  return Describer(recording, architecture, images, objects).Describe();
}

Result<Signature> Describe(const Collected& collected, const SignedRun& run,
                           count::Images& images) {
  if (collected.recordings.empty() || collected.parts.empty())
    return Fail(ErrorKind::kUnsupported, "the engine wrote no recording");
  const std::uint16_t machine = collected.recordings.front().machine;
  const auto architecture = decode::ArchitectureOf(machine);
  if (!architecture)
    return Fail(ErrorKind::kFormat, fmt::format("recording: unknown architecture {}", machine));
  Signature signature;
  signature.source = collected.source;
  signature.architecture = *architecture;
  signature.tare = run.tare;
  signature.time = run.time;
  signature.machine = run.machine;
  signature.command = run.command;
  signature.status = collected.finished.ended.ShellStatus();
  signature.grid = collected.grid;
  signature.sampled_lines = collected.sampled_lines;
  signature.sampled_time = collected.sampled_time;
  signature.near_exact = collected.near_exact;
  signature.complete = collected.complete;
  signature.caveats = collected.caveats;
  std::map<std::size_t, DescribedCode> described;
  for (const CollectedPart& part : collected.parts) {
    const format::Recording& recording = collected.recordings[part.recording];
    if (recording.machine != machine) {
      return Fail(ErrorKind::kUnsupported, "the program's processes have different architectures");
    }
    const auto [code, is_new] = described.try_emplace(part.recording);
    if (is_new) code->second = DescribeCode(recording, *architecture, images, signature.objects);
    signature.parts.push_back(DescribedPart(part, recording, code->second, images));
  }
  return signature;
}

}  // namespace tare::signature
