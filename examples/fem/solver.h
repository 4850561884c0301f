/// Solves the step's system on the device, by a number of steps of the method of conjugate gradients that is given.
///
/// Two files define it: solver.cu as a program grows, with the copies that findings advise against, and solver_fixed.cu as advised.
/// Their results are the same to the last bit.
#ifndef FEM_SOLVER_H
#define FEM_SOLVER_H

#include "mesh.h"

#include <memory>

class Solver {
public:
  Solver(const Matrix &matrix, int iterations);
  ~Solver();

  /// Where the host puts the load of the next step.
  double *load();
  void step();
  /// The field behind the last step.
  const double *field();

private:
  struct State;
  std::unique_ptr<State> state_;
};

#endif
