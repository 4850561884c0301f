/// cupranalyze: everything after the run.
#include "run.h"

int main(int argc, char **argv) { return cupr::analysis::run(argc, argv, nullptr); }
