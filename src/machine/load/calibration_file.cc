// calibration_file.cc: writing JSON, and validating it when it is read.
#include "machine/load/calibration_file.h"

#include <fmt/format.h>

#include <set>
#include <system_error>

#include "base/file.h"
#include "base/json_checksum.h"
#include "base/json_value.h"
#include "base/json_writer.h"
#include "base/printable.h"
#include "base/state_directory.h"

namespace tare::load {
namespace {

constexpr std::uint64_t kMaxCalibrationBytes = 1 << 24;
constexpr std::size_t kMaxBlocks = 1 << 20;
constexpr unsigned kMaxCore = 1'000'000;

// A finite number above zero.
Result<double> ReadPositive(const JsonValue& place) {
  TRY(const double number, place.Real());
  if (!(number > 0)) return place.Refuse("is not above 0");
  return number;
}

Result<CoreRate> ReadCore(const JsonValue& place) {
  CoreRate rate{};
  TRY(rate.core, place.NarrowField("core"));
  if (rate.core > kMaxCore) return place.Refuse(fmt::format("has a core above {}", kMaxCore));
  TRY(rate.blocks, place.ListField("blocks", ReadPositive));
  if (rate.blocks.size() < 2 || rate.blocks.size() > kMaxBlocks) {
    return place.Refuse(
        fmt::format("has {} blocks; 2 to {} are possible", rate.blocks.size(), kMaxBlocks));
  }
  return rate;
}

Result<Calibration> ReadRoot(const JsonValue& root, std::string_view machine) {
  TRY_VOID(root.RequireFormat(kCalibrationFormat));
  Calibration calibration{};
  TRY(calibration.machine, root.TextField("machine"));
  if (calibration.machine != machine) {
    return Fail(ErrorKind::kFormat,
                fmt::format("it is for the machine '{}', and this is '{}'",
                            Printable(calibration.machine), Printable(machine)));
  }
  TRY(calibration.kernel, root.TextField("kernel"));
  TRY(calibration.time, root.TextField("time"));
  TRY(calibration.loop, root.TextField("loop"));
  TRY(const JsonValue seconds, root.Field("block_seconds"));
  TRY(calibration.block_seconds, ReadPositive(seconds));
  TRY(calibration.cores, root.ListField("cores", ReadCore));
  if (calibration.cores.empty()) return root.Refuse("has no cores");
  std::set<unsigned> seen;
  for (const CoreRate& rate : calibration.cores) {
    if (!seen.insert(rate.core).second) {
      return root.Refuse(fmt::format("lists core {} twice", rate.core));
    }
  }
  return calibration;
}

Result<Calibration> Parse(std::string_view text, std::string_view machine) {
  TRY(const auto file, JsonFile::Parse(text, "calibration of tare load"));
  return ReadRoot(file.Root(), machine);
}

}  // namespace

Result<std::filesystem::path> CalibrationPath(const std::optional<std::string>& xdg_state_home,
                                              const std::optional<std::string>& home,
                                              std::string_view machine) {
  TRY(const auto directory, StateDirectory(xdg_state_home, home));
  return directory / fmt::format("load-{}.json", AsFileName(machine));
}

std::string FormatCalibration(const Calibration& calibration) {
  JsonWriter out;
  const auto text = [&](std::string_view name, std::string_view value) {
    out.LineKey(2, name);
    out.Text(value);
  };
  out.Raw("{");
  out.WholeField("format", kCalibrationFormat);
  text("machine", calibration.machine);
  text("kernel", calibration.kernel);
  text("time", calibration.time);
  text("loop", calibration.loop);
  out.LineKey(2, "block_seconds");
  out.Real(calibration.block_seconds);
  text("unit", "counts per second");
  out.LineKey(2, "cores");
  out.Lines(calibration.cores, 2, [&](const CoreRate& rate) {
    out.Raw("{");
    out.WholeField("core", rate.core);
    out.Key("blocks");
    out.Inline(rate.blocks, [&](double block) { out.Real(block); });
    out.Raw("}");
  });
  out.NewLine(0);
  out.Raw("}\n");
  return out.Take();
}

Result<Calibration> ParseCalibration(std::string_view text, std::string_view machine) {
  auto calibration = Parse(text, machine);
  if (calibration) return calibration;
  return Fail(calibration.error().kind,
              fmt::format("the calibration cannot be used: {}; run tare load --calibrate",
                          calibration.error().message));
}

Result<void> WriteCalibration(const std::filesystem::path& path, const Calibration& calibration) {
  std::error_code error;
  if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path(), error);
  if (error) return std::unexpected(SystemError("create", path.parent_path(), error.value()));
  return WriteFileAtomically(path, WithChecksum(FormatCalibration(calibration)));
}

Result<Calibration> ReadCalibration(const std::filesystem::path& path, std::string_view machine) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) {
    return Fail(
        ErrorKind::kIo,
        fmt::format("no calibration for this machine at {}; run tare load --calibrate first",
                    Printable(path.string())));
  }
  TRY(const auto text, ReadFile(path, kMaxCalibrationBytes));
  return InFile(path, ParseCalibration(text, machine));
}

}  // namespace tare::load
