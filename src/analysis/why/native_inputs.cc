// native_inputs.cc: the environment of the preloaded library, and the file that it shares.
#include "analysis/why/native_inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <string_view>

#include "base/file.h"
#include "format/inputs_wire.h"

namespace tare::why {
namespace {

constexpr std::string_view kPreload = "LD_PRELOAD";
constexpr unsigned kInputLevels = 16;
// 1 h 11 min 11 s: hour, minute and second all change at each level.
constexpr std::int64_t kLater = 4271;

unsigned InputLevel(const Levels& levels, Factor factor) {
  const auto found = levels.find(factor);
  return found == levels.end() ? 0 : found->second;
}

void Set(run::Setting& setting, std::string_view name, std::string value) {
  auto& variables = setting.environment.set;
  const auto found = std::ranges::find(
      variables, name, [](const auto& variable) -> const auto& { return variable.first; });
  if (found != variables.end()) {
    found->second = std::move(value);
  } else {
    variables.emplace_back(name, std::move(value));
  }
}

}  // namespace

NativeInputs::NativeInputs(PrivateDirectory directory, std::filesystem::path library)
    : directory_(std::move(directory)),
      library_(std::move(library)),
      start_seconds_(std::chrono::duration_cast<std::chrono::seconds>(
                         std::chrono::system_clock::now().time_since_epoch())
                         .count()) {}

Result<NativeInputs> NativeInputs::Open(const std::filesystem::path& library) {
  TRY(auto directory, PrivateDirectory::Make());
  return NativeInputs(std::move(directory), library);
}

std::string NativeInputs::Variable(unsigned time_level, unsigned random_level) const {
  return fmt::format("{0:0{3}}:{1:0{3}}:{2}", start_seconds_ + kLater * time_level, random_level,
                     SharedFile().string(), TARE_INPUTS_DIGITS);
}

Result<void> NativeInputs::Fix(run::Setting& setting) const {
  std::string preload = library_.string();
  for (const std::string& entry : run::InheritedEnvironment()) {
    if (entry.starts_with(fmt::format("{}=", kPreload))) {
      preload += ":" + entry.substr(kPreload.size() + 1);
    }
  }
  Set(setting, kPreload, std::move(preload));
  return Apply({}, setting);
}

Result<void> NativeInputs::Apply(const Levels& levels, run::Setting& setting) const {
  Set(setting, TARE_INPUTS_VARIABLE,
      Variable(InputLevel(levels, Factor::kTime), InputLevel(levels, Factor::kRandom)));
  return {};
}

Result<void> NativeInputs::Begin() const {
  return WriteFileAtomically(SharedFile(), std::string(sizeof(tare_native_inputs), '\0'));
}

Result<std::vector<FactorLevels>> NativeInputs::Requested() const {
  TRY(const std::string bytes, ReadFile(SharedFile(), sizeof(tare_native_inputs)));
  tare_native_inputs inputs = {};
  if (bytes.size() >= sizeof inputs) std::memcpy(&inputs, bytes.data(), sizeof inputs);
  std::vector<FactorLevels> factors;
  if (inputs.times > 0) factors.push_back({Factor::kTime, kInputLevels});
  if (inputs.random > 0) factors.push_back({Factor::kRandom, kInputLevels});
  return factors;
}

}  // namespace tare::why
