// A unit without device code.
#include "nested.h"

int beside();
int beside() {
  for (int i = 0; i < 3; ++i) // loop: beside
    set();
  return 1;
}
