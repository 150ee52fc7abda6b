// main.cc: the main function of `tare`.
#include <span>

#include "cli/application.h"

int main(int argc, char** argv) {
  return tare::cli::RunApplication(std::span(argv, static_cast<std::size_t>(argc)));
}
