// host_processor.cc: parsing /proc/cpuinfo of x86 and ARM.
#include "machine/host/host_processor.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <utility>

#include "base/printable.h"
#include "machine/host/kernel_text.h"

namespace tare::host {
namespace {

constexpr auto kFeatures = std::to_array<FeatureRow>({
    {"avx2", "256-bit vectors; libraries select their fastest code by it"},
    {"avx512f", "512-bit vectors; emulators hide them, so libraries run other code there"},
    {"amx_tile", "matrix tiles; emulators do not support them"},
    {"erms", "rep movsb is fast: one instruction can copy any number of bytes"},
    {"fsrm", "short rep movsb is fast too"},
    {"rdtscp", "the time-stamp counter can be read together with the core's number"},
    {"tsc_known_freq", "the time-stamp counter's frequency is known, not calibrated at boot"},
    {"arch_perfmon", "the processor has architectural event counters"},
    {"perfctr_core", "the processor has core event counters"},
    {"ibs", "instruction-based sampling gives precise addresses"},
    {"pebs", "precise event-based sampling gives precise addresses"},
    {"la57", "addresses have 57 bits"},
    {"atomics", "atomic instructions replace load-exclusive/store-exclusive loops"},
    {"sve", "vectors whose length depends on the processor"},
    {"sve2", "vectors whose length depends on the processor, second version"},
    {"evtstrm", "wait loops are woken by a periodic event"},
    {"paca", "signed return addresses: additional instructions in functions"},
    {"mte", "memory tagging changes the cost of loads and stores when on"},
});

std::string Vendor(std::string_view vendor_id) {
  if (vendor_id == "GenuineIntel") return "Intel";
  if (vendor_id == "AuthenticAMD") return "AMD";
  if (vendor_id == "HygonGenuine") return "Hygon";
  if (vendor_id == "CentaurHauls") return "Centaur";
  return Printable(vendor_id);
}

// The entry of one processor while it is parsed.
struct Entry {
  std::string_view name;
  std::string_view vendor;
  std::optional<std::uint64_t> implementer;
  std::optional<std::uint64_t> part;
};

void Add(Processor& processor, const Entry& entry) {
  ProcessorModel model;
  if (entry.implementer && entry.part) {
    model = ArmModel(*entry.implementer, *entry.part);
  } else if (!entry.name.empty()) {
    model = {.name = Printable(entry.name), .vendor = Vendor(entry.vendor)};
  } else {
    return;
  }
  const auto same = std::ranges::find(processor.models, model.name, &ProcessorModel::name);
  if (same != processor.models.end()) {
    ++same->threads;
  } else {
    model.threads = 1;
    processor.models.push_back(std::move(model));
  }
}

void ReplaceAll(std::string& text, std::string_view from, std::string_view to) {
  for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

}  // namespace

bool Processor::Has(std::string_view feature) const {
  return std::ranges::find(features, feature) != features.end();
}

Processor ParseCpuinfo(std::string_view text) {
  Processor processor;
  Entry entry;
  bool is_arm = false;
  for (std::string_view line : Lines(text)) {
    const auto colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    const auto key = Trimmed(line.substr(0, colon));
    const auto value = Trimmed(line.substr(colon + 1));
    if (key == "processor" && WholeNumber(value)) {
      Add(processor, std::exchange(entry, {}));
    } else if (key == "model name") {
      entry.name = value;
    } else if (key == "vendor_id") {
      entry.vendor = value;
    } else if (key == "CPU implementer") {
      entry.implementer = HexNumber(value);
    } else if (key == "CPU part") {
      entry.part = HexNumber(value);
    } else if ((key == "flags" || key == "Features") && processor.features.empty()) {
      is_arm = key == "Features";
      for (std::string_view word : Words(value)) processor.features.push_back(Printable(word));
    }
  }
  Add(processor, entry);
  processor.says_hypervisor = processor.Has("hypervisor");
  // The counter that CNTVCT_EL0 reads runs at a fixed rate in all power states (Arm ARM, D12.1).
  processor.invariant_counter =
      is_arm || (processor.Has("constant_tsc") && processor.Has("nonstop_tsc"));
  return processor;
}

Reading<Processor> ReadProcessor(const SystemFiles& files) {
  const auto text = files.Text("/proc/cpuinfo");
  Processor processor = text ? ParseCpuinfo(*text) : Processor();
  if (processor.models.empty()) {
    const auto line = files.Line("/sys/devices/system/cpu/cpu0/regs/identification/midr_el1");
    // MIDR_EL1: implementer in bits 31 to 24, part number in bits 15 to 4.
    if (const auto midr = line ? HexNumber(*line) : std::nullopt) {
      processor.models.push_back(ArmModel((*midr >> 24) & 0xff, (*midr >> 4) & 0xfff));
      processor.models.back().threads = 1;
      processor.invariant_counter = true;
    }
  }
  if (processor.models.empty() && processor.features.empty()) {
    return std::unexpected(text ? "/proc/cpuinfo lists no processor" : text.error());
  }
  return processor;
}

std::string ShortModelName(std::string_view name) {
  std::string text(name.substr(0, name.find(" @ ")));
  for (std::string_view mark : {"(R)", "(r)", "(TM)", "(tm)", " CPU", " Processor"}) {
    ReplaceAll(text, mark, "");
  }
  std::string joined;
  for (std::string_view word : Words(text)) {
    if (!joined.empty()) joined += ' ';
    joined += word;
  }
  return joined;
}

std::vector<FeatureRow> MeasuringFeatures(const Processor& processor) {
  std::vector<FeatureRow> rows;
  std::ranges::copy_if(kFeatures, std::back_inserter(rows),
                       [&](const FeatureRow& row) { return processor.Has(row.flag); });
  return rows;
}

}  // namespace tare::host
