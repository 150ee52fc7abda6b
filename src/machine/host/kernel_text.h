// kernel_text.h: taking apart the small text files in which the kernel describes the machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace tare::host {

// Without white space and zero bytes (device trees end their texts with one) at both ends.
std::string_view Trimmed(std::string_view text);

std::vector<std::string_view> Lines(std::string_view text);

// Parted by any run of white space.
std::vector<std::string_view> Words(std::string_view text);

// The whole of the trimmed text as a number, or nothing. Numbers beyond the type are nothing too.
std::optional<std::uint64_t> WholeNumber(std::string_view text);
std::optional<std::int64_t> SignedNumber(std::string_view text);
std::optional<std::uint64_t> HexNumber(std::string_view text);  // with or without 0x
std::optional<double> PositiveReal(std::string_view text);      // finite, 0 or more

// The trimmed value of the first line "KEY separator VALUE"; the key is compared as a whole.
std::optional<std::string_view> ValueOf(std::string_view text, std::string_view key,
                                        char separator = ':');

// The word in brackets of "always [madvise] never".
std::optional<std::string_view> Chosen(std::string_view text);

// How many processors a list such as "0-3,8" names; 0 for the empty list and for "(null)", which
// some kernels print for it. Nothing for what is not such a list.
std::optional<std::size_t> ListedProcessors(std::string_view text);

}  // namespace tare::host
