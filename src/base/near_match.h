// near_match.h: finds the existing name that is nearest to a misspelled one.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace tare {

// Returns the candidate with the smallest edit distance if it is small enough for a typo, otherwise
// an empty text.
std::string_view NearMatch(std::string_view name, std::span<const std::string_view> candidates);

// Returns "; did you mean X?" for a near match, "; did you mean X or Y?" for names that begin with
// `name`, otherwise an empty text. It is meant to end a message about an unknown name.
std::string DidYouMean(std::string_view name, std::span<const std::string_view> candidates);

// The same, and without a near match all candidates after `there_are`: "; there are a, b, c".
std::string DidYouMeanOrAll(std::string_view name, std::span<const std::string_view> candidates,
                            std::string_view there_are);

}  // namespace tare
