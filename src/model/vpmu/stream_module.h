// stream_module.h: the stretches of a module that writes streams, read from its file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "format/stream_reader.h"

namespace tare::vpmu {

struct StreamModule {
  format::StreamDescriptions descriptions;
  std::vector<std::uint64_t> addresses;  // address of each stretch in the file; 0: unknown
};

// With `addresses`, fails (kUnsupported) on a module that was built for blocks only.
Result<StreamModule> ReadStreamModule(const std::string& path, bool addresses);

// False for a stream that its thread has created but not initialized.
bool HasStreamBegun(const std::filesystem::path& path);

}  // namespace tare::vpmu
