// clone_name.h: names of the clones and parts that compilers create from a function.
#pragma once

#include <string_view>

namespace tare::code {

// "foo" of foo.isra.0, foo.constprop.2.cold, foo.part.0, foo.lto_priv.1, foo.llvm.123; any other
// name is returned unchanged.
std::string_view BaseName(std::string_view name);

// Whether the name is that of a split-off part of a function: foo.cold, foo.cold.2.
bool IsSplitPart(std::string_view name);

}  // namespace tare::code
