// near_match.h: what somebody probably meant who wrote a name that does not exist.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace tare {

// The candidate with the fewest letters to change, when they are few enough to be a slip; otherwise
// empty.
std::string_view NearMatch(std::string_view name, std::span<const std::string_view> candidates);

// "; did you mean X?" for a near match, otherwise empty: the end of a sentence that names what is
// unknown.
std::string DidYouMean(std::string_view name, std::span<const std::string_view> candidates);

}  // namespace tare
