/* why_path.c: work for every letter of the path in argv[0]. */
#include "why.h"

int main(int count, char** arguments) {
  if (count < 1) return 1;
  for (const char* letter = arguments[0]; *letter != 0; ++letter) why_work(0);
  return 0;
}
