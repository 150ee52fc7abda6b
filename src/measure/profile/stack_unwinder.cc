// stack_unwinder.cc: libdw reads memory from a sample's copied stack and from the mapped files.
#include "measure/profile/stack_unwinder.h"

#include "measure/profile/sampled_registers.h"

#ifdef TARE_HAS_LIBDW

#include <elfutils/libdwfl.h>

#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <utility>

#include "base/file.h"
#include "binary/elf/elf_file.h"

namespace tare::profile {
namespace {

constexpr std::size_t kMaxFrames = 256;

// The files of one process, as libdw sees them.
struct UnwoundProcess {
  struct End {
    void operator()(Dwfl* handle) const { dwfl_end(handle); }
  };
  std::unique_ptr<Dwfl, End> dwfl;
  std::set<std::pair<std::uint64_t, std::uint32_t>> reported;  // start and object
  const PerfRecord* sample = nullptr;
  bool attached = false;
};

const Dwfl_Callbacks kFileCallbacks = {
    .find_elf = dwfl_build_id_find_elf,
    .find_debuginfo = dwfl_standard_find_debuginfo,
    .section_address = dwfl_offline_section_address,
    .debuginfo_path = nullptr,
};

pid_t NextThread(Dwfl*, void* argument, void** thread) {
  if (*thread != nullptr) return 0;
  *thread = argument;
  return 1;
}

bool ReadFromFile(UnwoundProcess& process, Dwarf_Addr address, Dwarf_Word* result) {
  Dwfl_Module* const module = dwfl_addrmodule(process.dwfl.get(), address);
  if (module == nullptr) return false;
  Dwarf_Addr bias = 0;
  Elf_Scn* const section = dwfl_module_address_section(module, &address, &bias);
  Elf_Data* const data = section == nullptr ? nullptr : elf_getdata(section, nullptr);
  if (data == nullptr || data->d_buf == nullptr || address + sizeof *result > data->d_size)
    return false;
  std::memcpy(result, static_cast<const char*>(data->d_buf) + address, sizeof *result);
  return true;
}

bool ReadMemory(Dwfl*, Dwarf_Addr address, Dwarf_Word* result, void* argument) {
  auto& process = *static_cast<UnwoundProcess*>(argument);
  const PerfRecord& sample = *process.sample;
  const std::uint64_t bottom = sample.registers[static_cast<std::size_t>(StackPointerIndex())];
  if (address >= bottom && address - bottom + sizeof *result <= sample.stack.size()) {
    std::memcpy(result, sample.stack.data() + (address - bottom), sizeof *result);
    return true;
  }
  return ReadFromFile(process, address, result);
}

bool SetRegisters(Dwfl_Thread* thread, void* argument) {
  const PerfRecord& sample = *static_cast<UnwoundProcess*>(argument)->sample;
  const auto order = DwarfOrder();
  std::vector<Dwarf_Word> values;
  for (const int index : order) values.push_back(sample.registers[static_cast<std::size_t>(index)]);
  dwfl_thread_state_register_pc(thread,
                                sample.registers[static_cast<std::size_t>(ProgramCounterIndex())]);
  return dwfl_thread_state_registers(thread, 0, static_cast<unsigned>(values.size()),
                                     values.data());
}

const Dwfl_Thread_Callbacks kThreadCallbacks = {
    .next_thread = NextThread,
    .get_thread = nullptr,
    .memory_read = ReadMemory,
    .set_initial_registers = SetRegisters,
    .detach = nullptr,
    .thread_detach = nullptr,
};

int TakeFrame(Dwfl_Frame* frame, void* argument) {
  auto& chain = *static_cast<std::vector<std::uint64_t>*>(argument);
  Dwarf_Addr address = 0;
  bool activation = false;
  if (!dwfl_frame_pc(frame, &address, &activation) || address == 0) return DWARF_CB_ABORT;
  // Return addresses are behind their call; the store subtracts 1. A signal frame's is not.
  chain.push_back(chain.empty() || !activation ? address : address + 1);
  return chain.size() < kMaxFrames ? DWARF_CB_OK : DWARF_CB_ABORT;
}

// What the loader added to the addresses in the file, for a mapping of its code.
std::optional<std::uint64_t> BiasOf(const std::string& path, const MappedCode& code) {
  const auto bytes = ReadFile(path, std::uint64_t{4} << 30);
  if (!bytes) return std::nullopt;
  const auto file = elf::ReadElfFile(std::as_bytes(std::span(*bytes)));
  if (!file) return std::nullopt;
  for (const Elf64_Phdr& segment : file->program_headers) {
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0) continue;
    const std::uint64_t end = segment.p_offset + segment.p_filesz;
    const std::uint64_t mapped_end = code.file_offset + (code.end - code.start);
    if (segment.p_offset >= mapped_end || end <= code.file_offset) continue;
    return code.start - (segment.p_vaddr - segment.p_offset + code.file_offset);
  }
  return std::nullopt;
}

class Unwinder {
 public:
  std::vector<std::uint64_t> Unwind(const PerfRecord& sample, ProcessMaps& maps) {
    std::vector<std::uint64_t> chain;
    if (sample.registers.empty()) return chain;
    UnwoundProcess& process = processes_[sample.process];
    process.sample = &sample;
    if (!Report(process, sample.process, maps)) {
      chain.push_back(sample.registers[static_cast<std::size_t>(ProgramCounterIndex())]);
      return chain;
    }
    dwfl_getthread_frames(process.dwfl.get(), 1, TakeFrame, &chain);
    if (chain.empty())
      chain.push_back(sample.registers[static_cast<std::size_t>(ProgramCounterIndex())]);
    return chain;
  }

 private:
  // Tells libdw about files that were mapped since the last sample; starts again after an execve.
  bool Report(UnwoundProcess& process, std::uint32_t number, ProcessMaps& maps) {
    const auto& mappings = maps.Of(number);
    std::set<std::pair<std::uint64_t, std::uint32_t>> now;
    for (const auto& [start, code] : mappings) now.emplace(start, code.object);
    if (process.attached && now == process.reported) return true;
    process.dwfl.reset(dwfl_begin(&kFileCallbacks));
    process.attached = false;
    process.reported = now;
    if (!process.dwfl) return false;
    for (const auto& [start, code] : mappings) {
      const std::string& path = maps.Objects()[code.object];
      if (!path.starts_with('/')) continue;
      const auto [bias, is_new] = biases_.try_emplace({path, start, code.file_offset});
      if (is_new) bias->second = BiasOf(path, code);
      if (!bias->second) continue;
      dwfl_report_elf(process.dwfl.get(), path.c_str(), path.c_str(), -1, *bias->second, true);
    }
    dwfl_report_end(process.dwfl.get(), nullptr, nullptr);
    process.attached =
        dwfl_attach_state(process.dwfl.get(), nullptr, 1, &kThreadCallbacks, &process);
    return process.attached;
  }

  std::map<std::uint32_t, UnwoundProcess> processes_;
  std::map<std::tuple<std::string, std::uint64_t, std::uint64_t>, std::optional<std::uint64_t>>
      biases_;
};

}  // namespace

Result<UnwindSample> MakeUnwinder() {
  auto unwinder = std::make_shared<Unwinder>();
  return UnwindSample([unwinder](const PerfRecord& sample, ProcessMaps& maps) {
    return unwinder->Unwind(sample, maps);
  });
}

}  // namespace tare::profile

#else

namespace tare::profile {

Result<UnwindSample> MakeUnwinder() {
  return Fail(ErrorKind::kUnsupported,
              "--call-graph dwarf needs libdw, which this tare was built without; install "
              "libdw-dev and build it again, or use --call-graph fp");
}

}  // namespace tare::profile

#endif
