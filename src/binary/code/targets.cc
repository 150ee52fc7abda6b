// targets.cc: functions by address, stubs and imported names.
#include "binary/code/targets.h"

#include <algorithm>
#include <charconv>

namespace tare::code {
namespace {

constexpr std::string_view kStubMark = "@plt";

}  // namespace

Targets::Targets(const elf::ElfImage& image) : image_(image), dispatches_(image.IfuncCandidates()) {
  starts_.reserve(image.functions().size());
  for (const auto& function : image.functions()) starts_.push_back(function.start);
  for (std::size_t i = 0; i < dispatches_.size(); ++i)
    resolvers_.try_emplace(dispatches_[i].resolver, static_cast<std::uint32_t>(i));
  AddImports();
  AddStubs();
}

void Targets::AddImports() {
  for (const auto& reference : image_.references()) {
    if (reference.symbol.empty()) continue;
    if (reference.target != 0) {
      own_symbols_.try_emplace(reference.symbol, reference.target);
    } else {
      imports_.push_back(reference.symbol);
    }
  }
  // A stub may belong to a name that no reference contains.
  for (const auto& function : image_.functions()) {
    const std::string_view name = function.name;
    if (function.source != elf::FunctionSource::kPlt || !name.ends_with(kStubMark)) continue;
    const auto bare = name.substr(0, name.size() - kStubMark.size());
    if (!own_symbols_.contains(bare) && DispatchNamed(bare) == kNowhere) imports_.push_back(bare);
  }
  std::ranges::sort(imports_);
  const auto repeated = std::ranges::unique(imports_);
  imports_.erase(repeated.begin(), repeated.end());
  for (std::size_t i = 0; i < imports_.size(); ++i)
    import_numbers_.emplace(imports_[i], static_cast<std::uint32_t>(i));
}

Targets::Stub Targets::LeadsTo(std::string_view name) const {
  Stub stub;
  if (const auto own = own_symbols_.find(name); own != own_symbols_.end()) {
    stub.dispatch = DispatchBy(own->second);
    if (stub.dispatch == kNowhere) stub.function = FunctionStartingAt(own->second);
    if (stub.function != kNowhere || stub.dispatch != kNowhere) return stub;
  }
  stub.dispatch = DispatchNamed(name);
  if (stub.dispatch != kNowhere) return stub;
  // Stubs of functions that are selected at load time are named after their resolver: sub_1a40.
  constexpr std::string_view kByAddress = "sub_";
  if (name.starts_with(kByAddress)) {
    std::uint64_t resolver = 0;
    const auto digits = name.substr(kByAddress.size());
    const auto read = std::from_chars(digits.begin(), digits.end(), resolver, 16);
    if (read.ec == std::errc() && read.ptr == digits.end()) {
      stub.dispatch = DispatchBy(resolver);
      if (stub.dispatch != kNowhere) return stub;
    }
  }
  if (const auto import = ImportNamed(name)) stub.import = *import;
  return stub;
}

void Targets::AddStubs() {
  const auto& functions = image_.functions();
  for (std::size_t i = 0; i < functions.size(); ++i) {
    if (functions[i].source != elf::FunctionSource::kPlt) continue;
    std::string_view name = functions[i].name;
    if (name.ends_with(kStubMark)) name.remove_suffix(kStubMark.size());
    stubs_.emplace(static_cast<std::uint32_t>(i), LeadsTo(name));
  }
}

std::uint32_t Targets::FunctionStartingAt(std::uint64_t address) const {
  const auto found = std::ranges::lower_bound(starts_, address);
  if (found == starts_.end() || *found != address) return kNowhere;
  return static_cast<std::uint32_t>(found - starts_.begin());
}

std::uint32_t Targets::FunctionHolding(std::uint64_t address) const {
  const auto after = std::ranges::upper_bound(starts_, address);
  if (after == starts_.begin()) return kNowhere;
  const auto index = static_cast<std::uint32_t>(after - starts_.begin() - 1);
  return address < image_.functions()[index].end ? index : kNowhere;
}

std::optional<std::uint32_t> Targets::ImportNamed(std::string_view name) const {
  const auto found = import_numbers_.find(name);
  if (found == import_numbers_.end()) return std::nullopt;
  return found->second;
}

const Targets::Stub* Targets::StubOf(std::uint32_t function) const {
  const auto found = stubs_.find(function);
  return found == stubs_.end() ? nullptr : &found->second;
}

std::uint32_t Targets::DispatchNamed(std::string_view name) const {
  const auto found = std::ranges::lower_bound(dispatches_, name, {}, &elf::Dispatch::name);
  if (found == dispatches_.end() || found->name != name) return kNowhere;
  return static_cast<std::uint32_t>(found - dispatches_.begin());
}

void Targets::Aim(std::uint32_t function, CallSite& site) const {
  const auto* stub = StubOf(function);
  if (stub == nullptr || stub->function != kNowhere) {
    site.to = TargetKind::kFunction;
    site.target = stub == nullptr ? function : stub->function;
  } else if (stub->dispatch != kNowhere) {
    site.to = TargetKind::kDispatch;
    site.target = stub->dispatch;
  } else if (stub->import != kNowhere) {
    site.to = TargetKind::kImport;
    site.target = stub->import;
  }
}

std::uint32_t Targets::DispatchBy(std::uint64_t resolver) const {
  const auto found = resolvers_.find(resolver);
  return found == resolvers_.end() ? kNowhere : found->second;
}

}  // namespace tare::code
