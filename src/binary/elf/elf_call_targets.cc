// elf_call_targets.cc: searching for the bytes of a call first, and decoding only where one
// matters.
#include "binary/elf/elf_call_targets.h"

#include <algorithm>
#include <cstring>

#include "binary/decode/instruction.h"

namespace tare::elf {
namespace {

class CallTargetSearch {
 public:
  CallTargetSearch(const ElfImage& image, const std::vector<Function>& functions)
      : image_(image), bytes_left_(image.file_bytes()) {
    for (const auto& function : functions)
      if (function.end_guessed && function.end - function.start > 1)
        open_.push_back({function.start, function.end});
  }

  bool Idle() const { return open_.empty(); }

  void Look(const Function& function) {
    const auto code = image_.Code(function.start, function.end - function.start);
    // Limits the work for segments that share their bytes.
    if (code.size() > bytes_left_) return;
    bytes_left_ -= code.size();
    if (image_.architecture() == decode::Architecture::kAArch64) {
      LookAtWords(code, function.start);
    } else if (MayCall(code, function.start)) {
      LookAtInstructions(code, function.start);
    }
  }

  void Look(const VirtualTable& table) {
    for (std::uint64_t slot = table.start; slot < table.end; slot += 8)
      if (const auto target = image_.WordAt(slot); target && IsWanted(*target))
        targets_.push_back(*target);
  }

  std::vector<std::uint64_t> Take() {
    std::ranges::sort(targets_);
    const auto repeated = std::ranges::unique(targets_);
    targets_.erase(repeated.begin(), repeated.end());
    return std::move(targets_);
  }

 private:
  // In an object file the linker has not yet filled in the target of a call.
  std::uint64_t Filled(std::uint64_t place, std::uint64_t target) const {
    if (image_.type() != FileType::kObject) return target;
    const Reference* reference = image_.ReferenceAt(place);
    return reference == nullptr ? target : reference->target;
  }

  bool IsWanted(std::uint64_t target) const {
    const AddressRange* range = RangeAt(open_, target);
    return range != nullptr && range->start != target &&
           RangeAt(image_.data_in_code(), target) == nullptr;
  }

  void LookAtWords(std::span<const std::byte> code, std::uint64_t address) {
    for (std::size_t at = 0; at + 4 <= code.size(); at += 4) {
      std::uint32_t word = 0;
      std::memcpy(&word, code.data() + at, sizeof(word));
      if ((word & 0xfc000000) != 0x94000000) continue;  // bl
      const auto distance = static_cast<std::int64_t>(std::uint64_t{word} << 38) >> 36;
      const std::uint64_t target =
          Filled(address + at, address + at + static_cast<std::uint64_t>(distance));
      if (IsWanted(target) && RangeAt(image_.data_in_code(), address + at) == nullptr)
        targets_.push_back(target);
    }
  }

  // Whether any byte is e8 with a displacement that would reach an open function, at any offset.
  bool MayCall(std::span<const std::byte> code, std::uint64_t address) const {
    if (image_.type() == FileType::kObject) return true;
    constexpr int kCall = 0xe8;
    for (std::size_t at = 0; at + 5 <= code.size(); ++at) {
      const void* found = std::memchr(code.data() + at, kCall, code.size() - at - 4);
      if (found == nullptr) return false;
      at = static_cast<std::size_t>(static_cast<const std::byte*>(found) - code.data());
      std::int32_t distance = 0;
      std::memcpy(&distance, code.data() + at + 1, sizeof(distance));
      if (IsWanted(address + at + 5 + static_cast<std::uint64_t>(std::int64_t{distance})))
        return true;
    }
    return false;
  }

  void LookAtInstructions(std::span<const std::byte> code, std::uint64_t address) {
    for (std::size_t at = 0; at < code.size();) {
      if (const AddressRange* data = RangeAt(image_.data_in_code(), address + at)) {
        at = static_cast<std::size_t>(std::min<std::uint64_t>(data->end - address, code.size()));
        continue;
      }
      const auto instruction =
          decode::Decode(image_.architecture(), code.subspan(at), address + at);
      if (!instruction) {
        ++at;
        continue;
      }
      at += instruction->length;
      // A call of the next instruction only obtains the program counter.
      if (instruction->branch != decode::BranchKind::kCall || !instruction->target) continue;
      const std::uint64_t target = Filled(address + at - 4, *instruction->target);
      if (target != address + at && IsWanted(target)) targets_.push_back(target);
    }
  }

  const ElfImage& image_;
  std::uint64_t bytes_left_;
  std::vector<AddressRange> open_;
  std::vector<std::uint64_t> targets_;
};

}  // namespace

std::vector<std::uint64_t> CallTargets(const ElfImage& image,
                                       const std::vector<Function>& functions) {
  CallTargetSearch search(image, functions);
  if (search.Idle()) return {};
  for (const auto& function : functions) search.Look(function);
  for (const auto& table : image.virtual_tables()) search.Look(table);
  return search.Take();
}

}  // namespace tare::elf
