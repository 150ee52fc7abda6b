// register_follower.cc: one forward pass over an abstract register state.
#include "binary/code/register_follower.h"

#include <algorithm>
#include <bit>

namespace tare::code {
namespace {

using Kind = Origin::Kind;
using Effect = decode::RegisterEffect;

// Maximum number of pending forward branches; only a function that is one huge jump table has more.
constexpr std::size_t kMaxAhead = 4096;

Origin Moved(const Origin& base, std::uint64_t distance) {
  switch (base.kind) {
    case Kind::kConstant:
    case Kind::kElement:
    case Kind::kFieldPlus:
      return {base.kind, base.loads, base.value + distance};
    case Kind::kStack:
      return base;
    case Kind::kField:
      return distance == 0 ? base : Origin{Kind::kFieldPlus, base.loads, distance};
    default:
      return distance == 0 ? base : Origin{};
  }
}

// An offset from a table added to a constant.
Origin TableTarget(const Origin& offset, std::uint8_t scale, std::uint64_t base) {
  return {Kind::kTableTarget, 0, offset.value, offset.bytes, scale, base};
}

}  // namespace

RegisterFollower::RegisterFollower(decode::Architecture architecture)
    : architecture_(architecture),
      stack_pointer_(architecture == decode::Architecture::kX86_64 ? 4 : 31) {
  state_[stack_pointer_] = {Kind::kStack, 0, 0};
}

void RegisterFollower::Arrive(std::uint64_t address) {
  ahead_.erase(ahead_.begin(), ahead_.lower_bound(address));
  const auto waiting = ahead_.find(address);
  if (waiting == ahead_.end()) {
    reached_ = true;
    return;
  }
  if (!reached_) {
    state_ = waiting->second;
  } else {
    for (std::size_t i = 0; i < state_.size(); ++i)
      if (state_[i] != waiting->second[i]) state_[i] = {};
  }
  reached_ = true;
  ahead_.erase(waiting);
}

void RegisterFollower::BranchesTo(std::uint64_t target) {
  if (ahead_.size() >= kMaxAhead) return;
  const auto [waiting, is_new] = ahead_.try_emplace(target, state_);
  if (is_new) return;
  for (std::size_t i = 0; i < state_.size(); ++i)
    if (state_[i] != waiting->second[i]) waiting->second[i] = {};
}

void RegisterFollower::Pass(std::uint64_t address) {
  Arrive(address);
  written_ = decode::kNoRegister;
}

void RegisterFollower::Relocated(std::optional<std::uint64_t> target) {
  if (written_ == decode::kNoRegister) return;
  state_[written_] = target && was_address_ ? Origin{Kind::kConstant, 0, *target} : Origin{};
}

Origin RegisterFollower::Of(std::uint8_t number) const {
  return number < state_.size() ? state_[number] : Origin{};
}

Origin RegisterFollower::EvaluateAddress(const Effect& effect) const {
  const Origin base = Of(effect.base);
  const bool has_base = effect.base != decode::kNoRegister;
  const bool has_index = effect.index != decode::kNoRegister;
  const Origin index = Of(effect.index);
  if (!has_index) {
    if (!has_base) return {Kind::kConstant, 0, effect.constant};
    return Moved(base, effect.constant);
  }
  const std::uint64_t fixed = (has_base ? base.value : 0) + effect.constant;
  if (!has_base || base.kind == Kind::kConstant) {
    if (index.kind == Kind::kConstant)
      return {Kind::kConstant, 0, fixed + index.value * effect.scale};
    if (index.kind == Kind::kTableOffset) return TableTarget(index, effect.scale, fixed);
    if (!has_base && effect.constant == 0) return {};
    return {Kind::kElement, 0, fixed};
  }
  if (index.kind == Kind::kConstant && effect.scale == 1) {
    if (base.kind == Kind::kTableOffset) return TableTarget(base, 1, index.value + effect.constant);
    return {Kind::kElement, 0, index.value + effect.constant};
  }
  // Only switches add an offset from a table to something.
  if (base.kind == Kind::kTableOffset) return {Kind::kTableTarget, 0, base.value};
  if (index.kind == Kind::kTableOffset) return {Kind::kTableTarget, 0, index.value};
  return {};
}

Origin RegisterFollower::EvaluateLoad(const Effect& effect) const {
  const Origin base = Of(effect.base);
  const bool has_index = effect.index != decode::kNoRegister;
  const bool whole = effect.bytes == 8;
  Origin place = EvaluateAddress(effect);
  // The index of an element may itself come from a table.
  if (place.kind == Kind::kTableTarget && place.base != 0) place = {Kind::kElement, 0, place.base};
  if (place.kind == Kind::kConstant && whole) return {Kind::kSlot, 0, place.value};
  if (place.kind == Kind::kElement)
    return {whole ? Kind::kTableWord : Kind::kTableOffset, 0, place.value, effect.bytes};
  if (has_index) return whole ? Origin{Kind::kTableWord, 0, 0} : Origin{Kind::kTableOffset, 0, 0};
  if (!whole || base.kind == Kind::kStack) return {};
  const bool field = base.kind == Kind::kField || base.kind == Kind::kFieldPlus;
  const int loads = std::min(field ? base.loads + 1 : 1, 8);
  const std::uint64_t offset = base.kind == Kind::kFieldPlus ? base.value : 0;
  return {Kind::kField, static_cast<std::uint8_t>(loads), offset + effect.constant};
}

Origin RegisterFollower::Evaluate(const Effect& effect) const {
  switch (effect.kind) {
    case Effect::Kind::kConstant:
      return {Kind::kConstant, 0, effect.constant};
    case Effect::Kind::kAddress:
      return EvaluateAddress(effect);
    case Effect::Kind::kLoad:
      return EvaluateLoad(effect);
    case Effect::Kind::kInsert: {
      const Origin old = Of(effect.to);
      if (old.kind != Kind::kConstant) return {};
      const std::uint64_t replaced = std::uint64_t{0xffff} << effect.scale;
      return {Kind::kConstant, 0, (old.value & ~replaced) | effect.constant};
    }
    default:
      return {};
  }
}

std::optional<Origin> RegisterFollower::Next(std::span<const std::byte> code,
                                             std::uint64_t address) {
  Arrive(address);
  const Effect effect = decode::EffectOf(architecture_, code, address);
  std::optional<Origin> goes;
  if (effect.to != decode::kNoRegister) {
    const Origin made = Evaluate(effect);
    if (effect.to == decode::kBranchTarget) {
      goes = made;
    } else {
      state_[effect.to] = made;
    }
  }
  written_ = effect.to < decode::kBranchTarget ? effect.to : decode::kNoRegister;
  was_address_ = effect.kind == Effect::Kind::kConstant || effect.kind == Effect::Kind::kAddress;
  for (std::uint64_t rest = effect.also; rest != 0; rest &= rest - 1)
    state_[static_cast<std::size_t>(std::countr_zero(rest))] = {};
  state_[stack_pointer_] = {Kind::kStack, 0, 0};
  return goes;
}

}  // namespace tare::code
