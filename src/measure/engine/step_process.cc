// step_process.cc: fills the recording of a stepped process from outside the process.
#include "measure/engine/step_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "base/write_signals.h"
#include "binary/decode/architecture.h"
#include "measure/engine/engine_setting.h"

namespace tare::engine {
namespace {

// Address space for counters: one bank per concurrently live thread.
constexpr std::uint64_t kBanks = 1024;

std::uint32_t WordOf(std::span<const std::byte> code) {
  std::uint32_t word = 0;
  std::memcpy(&word, code.data(), std::min(code.size(), sizeof word));
  return word;
}

constexpr bool kArm = decode::HostArchitecture() == decode::Architecture::kAArch64;

// mrs xt, dczid_el0
bool ReadsZeroingSize(std::uint32_t word) { return kArm && (word & 0xffffffe0) == 0xd53b00e0; }

// ldxr, ldaxr, ldxp, ldaxp and their byte and halfword forms.
bool LoadsExclusive(std::uint32_t word) {
  return kArm && (word & 0x3f400000) == 0x08400000 && (word & 0x00800000) == 0;
}

bool ParseMapping(const std::string& line, format::MappedObject& object) {
  unsigned long long start = 0;
  unsigned long long end = 0;
  unsigned long long offset = 0;
  unsigned long long inode = 0;
  unsigned major_number = 0;
  unsigned minor_number = 0;
  std::array<char, 8> mode{};
  int path_at = 0;
  if (std::sscanf(line.c_str(), "%llx-%llx %7s %llx %x:%x %llu %n", &start, &end, mode.data(),
                  &offset, &major_number, &minor_number, &inode, &path_at) < 7) {
    return false;
  }
  object.start = start;
  object.end = end;
  object.offset = offset;
  object.inode = inode;
  object.device = inode == 0 ? 0 : makedev(major_number, minor_number);
  object.path = line.substr(static_cast<std::size_t>(path_at));
  struct stat status;
  // On some file systems (overlayfs, btrfs) /proc/PID/maps shows other numbers than stat(2).
  if (object.path.starts_with("/") && stat(object.path.c_str(), &status) == 0) {
    object.device = status.st_dev;
    object.inode = status.st_ino;
  }
  return true;
}

}  // namespace

StepProcess::StepProcess(pid_t process, std::string directory, std::optional<Region> region)
    : process_(process), directory_(std::move(directory)), region_(std::move(region)) {}

StepProcess::~StepProcess() {
  if (writer_.base != nullptr) munmap(writer_.base, mapped_bytes_);
}

Result<void> StepProcess::Map(const tare_wire_header& plan) {
  tare_wire_header start = plan;
  int file = -1;
  for (start.generation = 0; file < 0 && start.generation < 100000; ++start.generation) {
    const std::string name = fmt::format("{}/{}.{}", directory_, process_, start.generation);
    file = open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0 && errno != EEXIST)
      return Fail(ErrorKind::kIo, std::generic_category().message(errno));
  }
  --start.generation;
  const std::uint64_t bytes = tare_wire_file_bytes(&start);
  void* base = MAP_FAILED;
  int error = 0;
  {
    const WithoutWriteSignals errors_only;
    if (ftruncate(file, static_cast<off_t>(bytes)) == 0) {
      base = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
    }
    error = errno;
  }
  close(file);
  if (base == MAP_FAILED) return Fail(ErrorKind::kIo, std::generic_category().message(error));
  if (writer_.base != nullptr) munmap(writer_.base, mapped_bytes_);
  mapped_bytes_ = bytes;
  guard_ = std::make_unique<format::CutGuard>(base, bytes);
  tare_wire_begin(&writer_, static_cast<std::uint8_t*>(base), &start);
  return {};
}

void StepProcess::BeginRecording() {
  tare_wire_header start = tare_wire_plan(kBanks);
  start.engine = TARE_WIRE_STEP;
  start.architecture = kArm ? TARE_WIRE_AARCH64 : TARE_WIRE_X86_64;
  start.process = static_cast<std::uint64_t>(process_);
  start.has_region = region_ ? 1 : 0;
  if (const auto mapped = Map(start); !mapped) {
    std::ofstream(std::filesystem::path(directory_) / kMessages, std::ios::app)
        << "cannot create the recording: " << mapped.error().message << "\n";
  }
  sites_.clear();
  mappings_.clear();
  mappings_stale_ = true;
}

// The child's recording is self-contained: the stepper writes all mappings and blocks again.
void StepProcess::InheritRecording(StepProcess& parent) {
  BeginRecording();
  if (!recorded() && parent.recorded()) ++parent.header()->lost_children;
}

void StepProcess::SetState(tare_wire_state state) {
  if (!recorded()) return;
  header()->state = state;
  // Counts are missing from a file that was cut short, or found no room.
  if (guard_->WasCut()) header()->magic = 0;
}

bool StepProcess::ReadMemory(std::uint64_t address, std::span<std::byte> to) const {
  iovec here{to.data(), to.size()};
  iovec there{reinterpret_cast<void*>(address), to.size()};
  return process_vm_readv(process_, &here, 1, &there, 1, 0) == static_cast<ssize_t>(to.size());
}

// Uses /proc/PID/mem because process_vm_writev(2) cannot write to read-only code pages.
bool StepProcess::WriteMemory(std::uint64_t address, std::span<const std::byte> from) const {
  const int file = open(fmt::format("/proc/{}/mem", process_).c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0) return false;
  const ssize_t written = pwrite(file, from.data(), from.size(), static_cast<off_t>(address));
  close(file);
  return written == static_cast<ssize_t>(from.size());
}

void StepProcess::LookAtMappings() {
  std::ifstream maps(fmt::format("/proc/{}/maps", process_));
  std::vector<Mapping> now;
  for (std::string line; std::getline(maps, line);) {
    Mapping mapping;
    if (!ParseMapping(line, mapping.object)) continue;
    const auto same = std::ranges::find_if(mappings_, [&](const Mapping& old) {
      return old.object.start == mapping.object.start && old.object.end == mapping.object.end &&
             old.object.offset == mapping.object.offset && old.object.path == mapping.object.path;
    });
    mapping.announced = same != mappings_.end() && same->announced;
    now.push_back(std::move(mapping));
  }
  mappings_ = std::move(now);
  mappings_stale_ = false;
}

StepProcess::Mapping* StepProcess::MappingAt(std::uint64_t address) {
  const auto holds = [&](const Mapping& mapping) {
    return address >= mapping.object.start && address < mapping.object.end;
  };
  if (mappings_stale_) LookAtMappings();
  auto found = std::ranges::find_if(mappings_, holds);
  if (found == mappings_.end()) {
    LookAtMappings();
    found = std::ranges::find_if(mappings_, holds);
  }
  return found == mappings_.end() ? nullptr : &*found;
}

void StepProcess::Forget() {
  mappings_stale_ = true;
  sites_.clear();
}

std::optional<std::uint64_t> StepProcess::RegionStart() {
  if (!region_) return std::nullopt;
  if (mappings_stale_) LookAtMappings();
  for (const Mapping& mapping : mappings_) {
    const format::MappedObject& object = mapping.object;
    const bool holds = object.inode == region_->inode && object.device == region_->device &&
                       region_->offset >= object.offset &&
                       region_->offset - object.offset < object.end - object.start;
    if (holds) return object.start + (region_->offset - object.offset);
  }
  return std::nullopt;
}

const Site* StepProcess::At(std::uint64_t pc) {
  const auto known = sites_.find(pc);
  if (known != sites_.end() && !HasChanged(pc, known->second)) return &known->second;
  std::array<std::byte, 16> code{};
  std::size_t length = code.size();
  // Fewer than 16 bytes may follow the last instruction of a mapping.
  while (length > 0 && !ReadMemory(pc, std::span(code).first(length))) --length;
  if (length == 0) return nullptr;
  Site site;
  const auto bytes = std::span<const std::byte>(code).first(length);
  const auto decoded = decode::Decode(decode::HostArchitecture(), bytes, pc);
  site.instruction.length = kArm ? 4 : 1;
  if (decoded) site.instruction = *decoded;
  site.word = WordOf(bytes);
  site.pins_zeroing = ReadsZeroingSize(site.word);
  site.begins_exclusive = LoadsExclusive(site.word);
  site.code = code;
  site.index = TARE_WIRE_NO_BLOCK;
  if (recorded()) {
    Mapping* mapping = MappingAt(pc);
    site.written = mapping != nullptr && mapping->object.inode == 0;
    if (mapping != nullptr && !mapping->announced) {
      const format::MappedObject& object = mapping->object;
      const tare_wire_object wire{
          {}, object.start, object.end, object.offset, object.device, object.inode};
      mapping->announced = tare_wire_add_object(&writer_, &wire, object.path.c_str()) != 0;
    }
    tare_wire_block block{};
    block.address = pc;
    block.code_bytes = site.instruction.length;
    block.instructions = 1;
    if (site.instruction.branch == decode::BranchKind::kConditional) {
      block.flags = TARE_WIRE_CONDITIONAL;
    }
    if (site.instruction.repeated) block.flags = TARE_WIRE_REPEATED;
    site.index =
        tare_wire_add_block(&writer_, &block, reinterpret_cast<const std::uint8_t*>(code.data()));
  }
  return &sites_.insert_or_assign(pc, site).first->second;
}

// Code without a file may be rewritten at any time.
bool StepProcess::HasChanged(std::uint64_t pc, const Site& site) const {
  if (!site.written) return false;
  std::array<std::byte, 16> code{};
  const auto now = std::span(code).first(site.instruction.length);
  return !ReadMemory(pc, now) || !std::ranges::equal(now, std::span(site.code).first(now.size()));
}

tare_wire_counters& StepProcess::Counters(const Site& site, unsigned bank) {
  return tare_wire_bank(&writer_, bank)[site.index];
}

std::optional<unsigned> StepProcess::TakeBank() {
  if (!recorded()) return std::nullopt;
  tare_wire_header& head = *header();
  ++head.threads;
  if (head.banks_used >= head.banks) {
    ++head.lost_threads;
    return std::nullopt;
  }
  return static_cast<unsigned>(head.banks_used++);
}

}  // namespace tare::engine
