// kernel_text.h: parsing the small text files in which the kernel describes the machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace tare::host {

// Removes white space and NUL bytes at both ends (device-tree strings end with NUL).
std::string_view Trimmed(std::string_view text);

std::vector<std::string_view> Lines(std::string_view text);

// Splits at any run of white space.
std::vector<std::string_view> Words(std::string_view text);

// The whole trimmed text as a number. Returns nothing for other text and for overflow.
std::optional<std::uint64_t> WholeNumber(std::string_view text);
std::optional<std::int64_t> SignedNumber(std::string_view text);
std::optional<std::uint64_t> HexNumber(std::string_view text);  // with or without 0x
std::optional<double> PositiveReal(std::string_view text);      // finite and not negative

// The trimmed value of the first line "KEY separator VALUE"; the whole key must match.
std::optional<std::string_view> ValueOf(std::string_view text, std::string_view key,
                                        char separator = ':');

// The word in brackets of "always [madvise] never".
std::optional<std::string_view> Chosen(std::string_view text);

// The number of processors in a CPU list such as "0-3,8"; 0 for the empty list and for "(null)",
// which some kernels print instead. Nothing for any other text.
std::optional<std::size_t> ListedProcessors(std::string_view text);

}  // namespace tare::host
