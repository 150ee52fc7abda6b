// terminal.cc: width, colour, checked output, and the bar.
#include "cli/terminal.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <system_error>

#include "base/printable.h"

namespace tare::cli {
namespace {

constexpr std::size_t kUsualWidth = 100;
constexpr std::size_t kLeastWidth = 20;

std::size_t Width() {
  if (const char* columns = std::getenv("COLUMNS")) {
    const std::string_view text(columns);
    std::size_t width = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), width);
    if (error == std::errc() && end == text.data() + text.size() && width >= kLeastWidth)
      return width;
  }
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= kLeastWidth) {
    return size.ws_col;
  }
  return kUsualWidth;
}

bool IsSet(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0';
}

}  // namespace

Terminal ExamineTerminal() {
  Terminal terminal{};
  terminal.output_is_terminal = ::isatty(STDOUT_FILENO) == 1;
  terminal.errors_are_terminal = ::isatty(STDERR_FILENO) == 1;
  const char* kind = std::getenv("TERM");
  const bool dumb = kind == nullptr || std::string_view(kind) == "dumb";
  terminal.colour = terminal.output_is_terminal && !IsSet("NO_COLOR") && !dumb;
  terminal.width = Width();
  return terminal;
}

Result<void> WriteOutput(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(STDOUT_FILENO, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      return Fail(ErrorKind::kIo, fmt::format("cannot write to standard output: {}",
                                              std::generic_category().message(errno)));
    }
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
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
  fmt::print(stderr, "\r\x1b[K{} {:3.0f} %  {}", bar, std::clamp(fraction, 0.0, 1.0) * 100,
             Printable(what));
  std::fflush(stderr);
}

void ProgressBar::Wipe() {
  if (!drawn_) return;
  drawn_ = false;
  std::fputs("\r\x1b[K", stderr);
  std::fflush(stderr);
}

}  // namespace tare::cli
