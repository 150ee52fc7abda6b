// compiled_stream.cc: feeds streams to the models of a processor.
#include "model/vpmu/compiled_stream.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "base/file.h"
#include "format/counters_wire.h"
#include "model/core/core.h"
#include "model/vpmu/stream_consumer.h"

namespace tare::vpmu {
namespace {

CompiledEvents EventsOf(const StreamResult<model::Core>& result) {
  CompiledEvents events;
  events.process = result.process;
  events.loads = result.loads;
  events.stores = result.stores;
  events.order_varies = result.order_varies;
  events.cut_short = result.cut_short;
  for (const auto& place : result.places) {
    events.events += place.events;
    if (place.address != 0 && place.events != model::EventCounts())
      events.places.push_back({place.address, place.events});
  }
  std::ranges::sort(events.places, {}, &CompiledPlace::address);
  return events;
}

}  // namespace

Result<void> RequestStreams(const std::filesystem::path& directory) {
  tare_counters_request request = {};
  request.version = TARE_COUNTERS_VERSION;
  request.stream = TARE_STREAM_DELIVER;
  std::string bytes(sizeof request, '\0');
  std::memcpy(bytes.data(), &request, sizeof request);
  return WriteFileAtomically(directory / TARE_RUN_REQUEST, bytes);
}

Result<std::vector<CompiledEvents>> ConsumeCompiled(const model::Processor& processor,
                                                    const std::filesystem::path& directory,
                                                    const std::atomic<bool>& ended) {
  StreamConsumer<model::Core> consumer(directory, processor.l1d.line_bytes,
                                       [&] { return model::Core::Make(processor); });
  TRY(const auto results, consumer.Consume(ended));
  std::vector<CompiledEvents> events;
  for (const auto& result : results) events.push_back(EventsOf(result));
  return events;
}

}  // namespace tare::vpmu
