// Compiled by another compiler: nobody knows of this loop.
extern "C" int foreign(void (*function)());
extern "C" int foreign(void (*function)()) {
  for (int i = 0; i < 2; ++i)
    function();
  return 1;
}
