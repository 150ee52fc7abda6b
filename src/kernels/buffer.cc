// buffer.cc: mapped memory and the names of page sizes.
#include "kernels/buffer.h"

namespace tare::kernels {

std::string_view Name(Pages pages) {
  switch (pages) {
    case Pages::kSystem:
      return "system";
    case Pages::kSmall:
      return "small";
    case Pages::kHuge:
      return "huge";
  }
  return "system";
}

std::optional<Pages> ParsePages(std::string_view name) {
  for (const Pages pages : {Pages::kSystem, Pages::kSmall, Pages::kHuge}) {
    if (Name(pages) == name) return pages;
  }
  return std::nullopt;
}

}  // namespace tare::kernels
