// clone_name.h: names of the copies and parts that compilers make of a function.
#pragma once

#include <string_view>

namespace tare::code {

// "foo" of foo.isra.0, foo.constprop.2.cold, foo.part.0, foo.lto_priv.1, foo.llvm.123; a name
// without such an ending is itself.
std::string_view BaseName(std::string_view name);

// Whether the name is that of code that was split off its function: foo.cold, foo.cold.2.
bool IsSplitPart(std::string_view name);

}  // namespace tare::code
