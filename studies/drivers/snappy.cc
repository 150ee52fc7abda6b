// snappy.cc: compresses a file and unpacks it again, several times.
#include <snappy.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

int main(int argc, char** argv) {
  const int times = argc > 2 ? std::atoi(argv[2]) : 1;
  std::ifstream file(argv[1], std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  std::size_t sum = 0;
  for (int i = 0; i < times; ++i) {
    std::string packed;
    std::string unpacked;
    snappy::Compress(text.data(), text.size(), &packed);
    if (!snappy::Uncompress(packed.data(), packed.size(), &unpacked) || unpacked != text) return 1;
    sum += packed.size();
  }
  std::printf("%zu\n", sum);
}
