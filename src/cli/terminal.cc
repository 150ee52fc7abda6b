// terminal.cc: width, colour, checked output and the progress bar.
#include "cli/terminal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <string>
#include <system_error>

#include "base/printable.h"
#include "base/write_signals.h"
#include "cli/provenance.h"

namespace tare::cli {
namespace {

constexpr std::size_t kUsualWidth = 100;
constexpr std::size_t kMinWidth = 20;

std::size_t Width() {
  if (const auto text = EnvironmentText("COLUMNS")) {
    std::size_t width = 0;
    const char* last = text->data() + text->size();
    const auto [end, error] = std::from_chars(text->data(), last, width);
    if (error == std::errc() && end == last && width >= kMinWidth) return width;
  }
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= kMinWidth) {
    return size.ws_col;
  }
  return kUsualWidth;
}

// False, with errno set, if not everything could be written.
bool WriteAll(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace

Terminal ExamineTerminal() {
  Terminal terminal{};
  terminal.output_is_terminal = ::isatty(STDOUT_FILENO) == 1;
  terminal.errors_are_terminal = ::isatty(STDERR_FILENO) == 1;
  const bool dumb = EnvironmentText("TERM").value_or("dumb") == "dumb";
  terminal.colour = terminal.output_is_terminal && !EnvironmentText("NO_COLOR") && !dumb;
  terminal.width = Width();
  return terminal;
}

void ReserveStandardDescriptors() {
  for (const int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(number, F_GETFD) >= 0) continue;
    // Opened for the unused direction, so that reads and writes still fail. open(2) returns the
    // lowest free number, and the lower ones are open by now.
    const int mode = number == STDIN_FILENO ? O_WRONLY : O_RDONLY;
    const int opened = ::open("/dev/null", mode | O_CLOEXEC);
    if (opened >= 0 && opened != number) ::close(opened);
  }
}

Result<void> WriteOutput(std::string_view text) {
  if (WriteAll(STDOUT_FILENO, text)) return {};
  return Fail(ErrorKind::kIo, fmt::format("cannot write to standard output: {}",
                                          std::generic_category().message(errno)));
}

void WriteErrors(std::string_view text) {
  const WithoutWriteSignals errors_only;
  (void)WriteAll(STDERR_FILENO, text);
}

ProgressBar::ProgressBar(bool shown) : shown_(shown), start_(std::chrono::steady_clock::now()) {}

ProgressBar::~ProgressBar() { Wipe(); }

void ProgressBar::Show(double fraction, std::string_view what) {
  if (!shown_) return;
  using std::chrono::milliseconds;
  const auto now = std::chrono::steady_clock::now();
  if (now - start_ < milliseconds(500) || now - last_ < milliseconds(80)) return;
  last_ = now;
  drawn_ = true;
  constexpr int kCells = 24;
  const int filled = static_cast<int>(std::lround(std::clamp(fraction, 0.0, 1.0) * kCells));
  std::string bar;
  for (int i = 0; i < kCells; ++i) bar += i < filled ? "█" : "░";
  WriteErrors(fmt::format("\r\x1b[K{} {:3.0f} %  {}", bar, std::clamp(fraction, 0.0, 1.0) * 100,
                          Printable(what)));
}

void ProgressBar::Wipe() {
  if (!drawn_) return;
  drawn_ = false;
  WriteErrors("\r\x1b[K");
}

}  // namespace tare::cli
