// software_columns.cc: adds channels to a series during the run.
#include "measure/sample/software_columns.h"

namespace tare::sample {

void SoftwareColumns::Look(SoftwareSource& software, format::SeriesWriter& writer,
                           std::vector<std::optional<std::int64_t>>& values) {
  if (!software.Refresh()) return;
  const auto& channels = software.Channels();
  for (std::size_t i = columns_.size(); i < channels.size(); ++i) {
    // Rejected if another channel has the name, or if there are too many channels.
    const bool added = writer.AddChannels({&channels[i], 1}).has_value();
    columns_.push_back(added ? std::optional(values.size()) : std::nullopt);
    if (added) values.emplace_back();
  }
  read_.resize(columns_.size());
}

void SoftwareColumns::Read(SoftwareSource& software,
                           std::vector<std::optional<std::int64_t>>& values) {
  if (columns_.empty()) return;
  software.Read(read_);
  Place(values);
}

void SoftwareColumns::ReadFrom(const SoftwareSource& software,
                               const SoftwareChannels::ReadSlot& read,
                               std::vector<std::optional<std::int64_t>>& values) {
  if (columns_.empty()) return;
  software.ReadFrom(read, read_);
  Place(values);
}

void SoftwareColumns::Place(std::vector<std::optional<std::int64_t>>& values) {
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (columns_[i]) values[*columns_[i]] = read_[i];
  }
}

}  // namespace tare::sample
