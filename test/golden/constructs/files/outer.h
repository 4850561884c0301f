#pragma once
#include "plain.h"
#include "middle.h"
