// json_checksum.h: a checksum inside a JSON file, by which a reader notices that the file changed.
#pragma once

#include <string>
#include <string_view>

namespace tare {

// Appends the field "checksum", on a line of its own with the comma before it (so that whoever
// edits the file may remove that line), to `json`, the text of one object with at least one field.
// The checksum covers every byte before that field except blanks and line ends outside of strings,
// so that a file that was indented anew is still the same.
std::string WithChecksum(std::string_view json);

// Whether `json`, which must be valid JSON, ends with a checksum that does not fit what is before
// it, or does not end with a checksum at all.
bool ChecksumDiffers(std::string_view json);

}  // namespace tare
