// calibration_file.cc: writing JSON, and validating it when it is read.
#include "machine/load/calibration_file.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <system_error>

#include "base/file.h"
#include "base/printable.h"
#include "base/state_directory.h"

namespace tare::load {
namespace {

using nlohmann::json;

constexpr std::uint64_t kMaxBytes = 1 << 24;
constexpr std::size_t kMaxBlocks = 1 << 20;

std::unexpected<Error> Bad(std::string_view what) {
  return Fail(ErrorKind::kFormat,
              fmt::format("the calibration cannot be used: {}; run tare load --calibrate", what));
}

Result<std::string> TextOf(const json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_string()) return Bad(fmt::format("{} is missing", key));
  return found->get<std::string>();
}

// A finite number above zero.
std::optional<double> PositiveOf(const json& value) {
  if (!value.is_number()) return std::nullopt;
  const double number = value.get<double>();
  if (!std::isfinite(number) || !(number > 0)) return std::nullopt;
  return number;
}

Result<CoreRate> CoreOf(const json& value) {
  const auto core = value.is_object() ? value.find("core") : value.end();
  if (!value.is_object() || core == value.end() || !core->is_number_unsigned() ||
      core->get<std::uint64_t>() > 1'000'000) {
    return Bad("a core has no valid number");
  }
  CoreRate rate{static_cast<unsigned>(core->get<std::uint64_t>()), {}};
  const auto blocks = value.find("blocks");
  if (blocks == value.end() || !blocks->is_array() || blocks->size() < 2 ||
      blocks->size() > kMaxBlocks) {
    return Bad(fmt::format("core {} has fewer than two blocks", rate.core));
  }
  for (const json& block : *blocks) {
    const auto number = PositiveOf(block);
    if (!number)
      return Bad(fmt::format("core {} has a rate that is not a positive number", rate.core));
    rate.blocks.push_back(*number);
  }
  return rate;
}

Result<Calibration> FromJson(const json& root, std::string_view machine) {
  if (!root.is_object() || !root.contains("format")) return Bad("it is not a calibration of tare");
  const json& format = root["format"];
  if (!format.is_number_integer() || format != kCalibrationFormat) {
    return Bad(fmt::format("it has format {}, and this tare reads format {}",
                           Printable(format.dump(-1, ' ', true)), kCalibrationFormat));
  }
  Calibration calibration{};
  TRY(calibration.machine, TextOf(root, "machine"));
  if (calibration.machine != machine) {
    return Bad(fmt::format("it is for the machine '{}', and this is '{}'",
                           Printable(calibration.machine), Printable(machine)));
  }
  TRY(calibration.kernel, TextOf(root, "kernel"));
  TRY(calibration.time, TextOf(root, "time"));
  TRY(calibration.loop, TextOf(root, "loop"));
  const auto seconds =
      root.contains("block_seconds") ? PositiveOf(root["block_seconds"]) : std::nullopt;
  if (!seconds) return Bad("block_seconds is not a positive number");
  calibration.block_seconds = *seconds;
  const auto cores = root.find("cores");
  if (cores == root.end() || !cores->is_array() || cores->empty()) return Bad("it has no cores");
  std::set<unsigned> seen;
  for (const json& value : *cores) {
    TRY(auto rate, CoreOf(value));
    if (!seen.insert(rate.core).second)
      return Bad(fmt::format("core {} is listed twice", rate.core));
    calibration.cores.push_back(std::move(rate));
  }
  return calibration;
}

}  // namespace

Result<std::filesystem::path> CalibrationPath(const std::optional<std::string>& xdg_state_home,
                                              const std::optional<std::string>& home,
                                              std::string_view machine) {
  TRY(const auto directory, StateDirectory(xdg_state_home, home));
  return directory / fmt::format("load-{}.json", AsFileName(machine));
}

std::string FormatCalibration(const Calibration& calibration) {
  json cores = json::array();
  for (const CoreRate& rate : calibration.cores) {
    cores.push_back({{"core", rate.core}, {"blocks", rate.blocks}});
  }
  const json root = {{"format", kCalibrationFormat}, {"machine", calibration.machine},
                     {"kernel", calibration.kernel}, {"time", calibration.time},
                     {"loop", calibration.loop},     {"block_seconds", calibration.block_seconds},
                     {"unit", "counts per second"},  {"cores", cores}};
  // A host name that is not valid UTF-8 must not cause an exception.
  return root.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

Result<Calibration> ParseCalibration(std::string_view text, std::string_view machine) {
  const json root = json::parse(text, nullptr, false);
  if (root.is_discarded()) return Bad("it is not JSON");
  try {
    return FromJson(root, machine);
  } catch (const json::exception& error) {
    return Bad(Printable(error.what()));
  }
}

Result<void> WriteCalibration(const std::filesystem::path& path, const Calibration& calibration) {
  std::error_code error;
  if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path(), error);
  if (error) return std::unexpected(SystemError("create", path.parent_path(), error.value()));
  return WriteFileAtomically(path, FormatCalibration(calibration));
}

Result<Calibration> ReadCalibration(const std::filesystem::path& path, std::string_view machine) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) {
    return Fail(
        ErrorKind::kIo,
        fmt::format("no calibration for this machine at {}; run tare load --calibrate first",
                    Printable(path.string())));
  }
  TRY(const auto text, ReadFile(path, kMaxBytes));
  auto calibration = ParseCalibration(text, machine);
  if (!calibration) {
    return Fail(calibration.error().kind,
                fmt::format("{}: {}", Printable(path.string()), calibration.error().message));
  }
  return calibration;
}

}  // namespace tare::load
