// event_cost.cc: times batches of events that fit into a thread's buffer, without a reader.
#include "measure/events/event_cost.h"

#include <stdlib.h>
#include <tare/events.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "base/private_directory.h"
#include "base/start_thread.h"
#include "stats/interval.h"

namespace tare::events {
namespace {

constexpr int kBatches = 15;
constexpr int kEvents = 16'000;  // fit into half a buffer
constexpr int kSpans = 8'000;

double Seconds(auto work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void Batch(double tick_ns, double& event_ns, double& span_ns, double& inside_ns) {
  TARE_EVENT("warm");
  if (tare_events_now.words == nullptr) return;
  // The kernel clears a new page at its first use, which a running program has behind it.
  std::memset(tare_events_now.words + 1, 0, (TARE_EVENTS_WORDS / 2 - 1) * sizeof(std::uint64_t));
  event_ns = 1e9 / kEvents * Seconds([] {
               for (int i = 0; i < kEvents; ++i) TARE_EVENT("event");
             });
  tare_events_now.at = tare_events_now.words;
  tare_events_now.end = tare_events_now.words + TARE_EVENTS_WORDS / 2;
  const std::uint64_t* const first = tare_events_now.at;
  span_ns = 1e9 / kSpans * Seconds([] {
              for (int i = 0; i < kSpans; ++i) {
                TARE_SPAN("span");
              }
            });
  std::vector<double> lengths;
  constexpr std::uint64_t kMask = (std::uint64_t{1} << 41) - 1;
  for (int i = 0; i < kSpans; ++i)
    lengths.push_back(static_cast<double>((first[2 * i + 1] - first[2 * i]) & kMask) * tick_ns);
  std::ranges::nth_element(lengths, lengths.begin() + kSpans / 2);
  inside_ns = lengths[kSpans / 2];
}

Result<format::TraceCost> CostOf(const std::vector<double>& samples) {
  TRY(const auto median, stats::MedianInterval(samples, 0.95));
  return format::TraceCost{median.Value(), std::max(0.0, median.Low()), median.High()};
}

}  // namespace

Result<EventCosts> CalibrateEvents(unsigned clock, double tick_ns) {
  TRY(const auto directory, PrivateDirectory::Make());
  setenv("TARE_EVENTS_DIRECTORY", directory.path().c_str(), 1);
  setenv("TARE_EVENTS_CLOCK", std::to_string(clock).c_str(), 1);
  // The header reads the environment once; a second calibration continues where the first ended.
  if (tare_events_state == 1 && tare_events_image != 0) tare_events_state = 2;
  tare_events_clock = clock;
  std::vector<double> events(kBatches);
  std::vector<double> spans(kBatches);
  std::vector<double> insides(kBatches);
  for (int i = 0; i < kBatches; ++i) {
    const auto at = static_cast<std::size_t>(i);
    TRY(auto thread, StartThread([&] { Batch(tick_ns, events[at], spans[at], insides[at]); }));
    thread.join();
  }
  unsetenv("TARE_EVENTS_DIRECTORY");
  unsetenv("TARE_EVENTS_CLOCK");
  // This process records nothing itself.
  tare_events_state = 1;
  EventCosts costs;
  TRY(costs.event, CostOf(events));
  TRY(costs.span, CostOf(spans));
  if (clock == 0) {
    TRY(costs.inside, CostOf(insides));
  }
  return costs;
}

}  // namespace tare::events
