// parquet.h: writes tables as Apache Parquet files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "report/typed_columns.h"

namespace tare::report {

// Writes a file row group by row group, so that memory does not grow with it. The file appears
// under its name in Finish(). Pages are plain and gzipped, which every reader knows.
class ParquetWriter {
 public:
  // Adds pairs of names and texts to the metadata of the file.
  using Notes = std::vector<std::pair<std::string, std::string>>;

  static Result<ParquetWriter> Create(const std::filesystem::path& path);
  ParquetWriter(ParquetWriter&& other) = default;
  ParquetWriter& operator=(ParquetWriter&&) = delete;
  ~ParquetWriter();

  // All groups must have the same columns.
  Result<void> Add(const TypedTable& rows);
  Result<void> Finish(const Notes& notes);

 private:
  struct Chunk {
    std::uint64_t offset;
    std::uint64_t packed;
    std::uint64_t raw;
  };
  struct Group {
    std::uint64_t rows;
    std::vector<Chunk> chunks;
  };

  ParquetWriter(std::filesystem::path path, std::filesystem::path temporary);

  Result<void> Write(std::string_view bytes);
  std::string Footer(const Notes& notes) const;

  std::filesystem::path path_;
  std::filesystem::path temporary_;
  std::ofstream file_;
  std::uint64_t bytes_ = 0;
  TypedTable schema_;  // without rows
  std::vector<Group> groups_;
};

// The whole table in one file.
Result<void> WriteParquet(const std::filesystem::path& path, const TypedTable& table,
                          const ParquetWriter::Notes& notes);

}  // namespace tare::report
