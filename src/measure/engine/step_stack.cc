// step_stack.cc: reads the initial stack that the kernel built and replaces it with the common
// layout.
#include "measure/engine/step_stack.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "format/start_stack.h"
#include "measure/engine/step_registers.h"
#include "measure/run/layout.h"

namespace tare::engine {
namespace {

constexpr std::uint64_t kPage = 4096;

// Bytes from the stack pointer to the end of the stack's mapping.
std::vector<std::byte> ReadStack(const StepProcess& process, std::uint64_t pointer) {
  std::vector<std::byte> bytes;
  std::uint64_t at = pointer;
  for (;;) {
    const std::uint64_t size = kPage - at % kPage;
    bytes.resize(bytes.size() + size);
    if (!process.ReadMemory(at, std::span(bytes).last(size))) {
      bytes.resize(bytes.size() - size);
      return bytes;
    }
    at += size;
  }
}

// False, with nothing changed, if the stack cannot be read or written.
bool PinStack(const StepProcess& process, pid_t thread, std::uint64_t features) {
  Registers registers;
  if (!registers.Read(thread)) return false;
  const std::uint64_t pointer = registers.Stack();
  std::vector<std::byte> old = ReadStack(process, pointer);
  if (old.size() < 64) return false;
  tare_start_stack start = tare_find_start_stack(reinterpret_cast<std::uint64_t*>(old.data()));

  tare_stack_layout layout{};
  const std::uint64_t end = pointer + old.size();
  layout.from = &start;
  layout.from_shift = reinterpret_cast<std::uint64_t>(old.data()) - pointer;
  layout.room = old.size() + 3 * kPage;
  std::vector<std::byte> image(layout.room);
  layout.image = reinterpret_cast<std::uint8_t*>(image.data());
  layout.top = end - end % kPage;
  const std::uint64_t now = tare_lay_out_stack(&layout, features);
  if (now == 0) return false;
  const std::uint64_t skip = now - (layout.top - layout.room);
  if (!process.WriteMemory(now, std::span<const std::byte>(image).subspan(skip))) return false;
  registers.SetStack(now);
  return registers.Write(thread);
}

}  // namespace

int LayOutMemory(const StepProcess& process, pid_t thread, const run::Layout& layout,
                 std::optional<std::uint64_t> features) {
  int failed = layout.IsRequested() ? run::MoveMemory(thread, layout) : 0;
  if (failed == 0 && features) PinStack(process, thread, *features);
  if (failed == 0) failed = run::MoveStack(thread, layout.stack_bytes);
  if (failed != 0) kill(thread, SIGKILL);
  return failed;
}

}  // namespace tare::engine
