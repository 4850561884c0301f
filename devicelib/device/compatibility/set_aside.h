/// Sets macros of one letter aside (`-DN=1000`) that clang's prologue and the compatibility header would take for names of
/// theirs. The prologue reads more of the toolkit's headers than nvcc does: of the letters that these headers use, nvcc
/// accepts those below. put_back.h puts them back.
#pragma push_macro("k")
#undef k
#pragma push_macro("l")
#undef l
#pragma push_macro("o")
#undef o
#pragma push_macro("q")
#undef q
#pragma push_macro("r")
#undef r
#pragma push_macro("A")
#undef A
#pragma push_macro("B")
#undef B
#pragma push_macro("N")
#undef N
#pragma push_macro("V")
#undef V
#pragma push_macro("X")
#undef X
#pragma push_macro("Y")
#undef Y
