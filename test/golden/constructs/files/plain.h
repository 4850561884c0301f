#pragma once
#define PLAIN_VALUE 7
inline int plain() { return PLAIN_VALUE; }
