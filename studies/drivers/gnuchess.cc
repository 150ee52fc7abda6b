// gnuchess.cc: GNU Chess's engine by itself, with its commands on standard input. Takes the place of posix.cpp: it is not interrupted while it searches, and its
// clock stands still, so that it always does the same.
#include "components.h"
#include "posix.h"

int pipefd_a2e[2] = {0, -1};
int pipefd_e2a[2] = {-1, 1};

namespace engine {

int main_engine(int argc, char* argv[]);

bool input_available() { return false; }
double now_real() { return 0; }
double now_cpu() { return 0; }

}  // namespace engine

int main(int argc, char* argv[]) { return engine::main_engine(argc, argv); }
