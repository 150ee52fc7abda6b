// front_lines.cc: numbers the cases of few lines in one set.
#include "model/reuse/front_lines.h"

namespace tare::reuse {

FrontCases::FrontCases() {
  constexpr unsigned kValues = SharedSets::kNone + 1;
  std::size_t number = 0;
  for (unsigned a = 0; a < kValues; ++a) {
    for (unsigned b = a; b < kValues; ++b) {
      for (unsigned c = b; c < kValues; ++c, ++number) {
        const std::array<unsigned, 3> all = {a, b, c};
        for (unsigned i = 0; i < 3; ++i)
          for (unsigned j = 0; j < 3; ++j)
            if (i != j)
              case_[all[i] | all[j] << 3 | all[3 - i - j] << 6] = static_cast<std::uint8_t>(number);
        depths_[number] = SharedSets::Bytes(a) + SharedSets::Bytes(b) + SharedSets::Bytes(c);
      }
    }
  }
}

}  // namespace tare::reuse
