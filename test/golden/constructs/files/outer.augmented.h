// augmented by cuprewrite
#line 1 "outer.h"
#pragma once
#include "plain.h"
#include "middle.h"
