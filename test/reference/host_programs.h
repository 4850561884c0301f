/// Random programs of which only what the host does is of interest: calls with paths and times, by the same turns again and again.
#ifndef CUPR_TEST_HOST_PROGRAMS_H
#define CUPR_TEST_HOST_PROGRAMS_H

#include <string>

namespace cupr::reference {

void writeRandomHost(const std::string &path, unsigned seed);

} // namespace cupr::reference

#endif
