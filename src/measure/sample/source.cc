// source.cc: the values before a program's first instruction.
#include "measure/sample/source.h"

#include "base/check.h"

namespace tare::sample {

void ReadStart(const Source& source, Values values) {
  CHECK(values.size() == source.channels.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (source.channels[i].kind == format::ChannelKind::kTotal) values[i] = 0;
  }
}

}  // namespace tare::sample
