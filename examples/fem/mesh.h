/// A square of 1 by 1, divided into squares of two triangles each, and what is conducted through it: heat.
///
/// Time goes by implicit Euler steps of linear elements: (M + dt K) u' = M u + dt f(t), with the mass lumped at the nodes. K and M stay, so they
/// are assembled once; the load f(t) is assembled in each step.
#ifndef FEM_MESH_H
#define FEM_MESH_H

#include <cstddef>
#include <vector>

struct Mesh {
  int edge;    ///< nodes along an edge
  int fineness; ///< a triangle's integral is summed up at fineness * fineness points

  int nodes() const { return edge * edge; }
  double spacing() const { return 1.0 / (edge - 1); }
};

constexpr double kTimeStep = 1e-3;
/// Of a row: the node itself and those that it shares a triangle with.
constexpr int kMostEntries = 7;

/// Entry k of row i lies at k * rows + i, so that neighbouring threads load what lies side by side. Rows with fewer entries are filled up
/// with zeros.
struct Matrix {
  int rows;
  std::vector<double> values;
  std::vector<int> columns;
  std::vector<double> mass; ///< of each node
};

/// M + dt K.
Matrix assembleMatrix(const Mesh &mesh);

/// dt f(t), by quadrature in each triangle. `load`: a number for each node.
void assembleLoad(const Mesh &mesh, double time, double *load);

/// The integral of the square of how far `field` is from the source's shape, by quadrature with every third point.
double distanceFromSource(const Mesh &mesh, double time, const double *field);

#endif
