// images.cc: looks up functions, ifunc candidates and processor queries by file offset.
#include "measure/count/images.h"

namespace tare::count {

Images::Image& Images::Load(const std::string& path) {
  const auto [found, is_new] = images_.try_emplace(path);
  Image& image = found->second;
  if (!is_new) return image;
  auto elf = elf::OpenElf(path);
  if (!elf) return image;
  image.elf = std::move(*elf);
  for (const elf::Dispatch& dispatch : image.elf->IfuncCandidates()) {
    for (const std::uint64_t start : dispatch.candidates) image.dispatched[start] = dispatch.name;
  }
  return image;
}

const elf::ElfImage* Images::Open(const std::string& path) {
  Image& image = Load(path);
  return image.elf ? &*image.elf : nullptr;
}

const Place* Images::At(const std::string& path, std::uint64_t offset) {
  Image& image = Load(path);
  if (!image.elf) return nullptr;
  const auto address = image.elf->AddressOf(offset);
  const elf::Function* function = address ? image.elf->FunctionAt(*address) : nullptr;
  const std::uint64_t start = function != nullptr ? function->start : 0;
  const auto [found, is_new] = image.places.try_emplace(start);
  Place& place = found->second;
  if (!is_new) return &place;
  place.start = start;
  if (function == nullptr) {
    place.function = "[unknown]";
    return &place;
  }
  place.function = function->name;
  const auto variant = image.dispatched.find(start);
  if (variant != image.dispatched.end()) {
    place.dispatched = true;
    place.dispatched_name = variant->second;
  }
  place.queries_processor = image.elf->QueriesProcessor(*function);
  return &place;
}

}  // namespace tare::count
