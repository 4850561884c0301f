/// The part of the program that stays on the CPU.
#include "mesh.h"

#include <cmath>

namespace {

/// A source of heat that goes round in a circle.
double sourceAt(double x, double y, double time) {
  const double dx = x - 0.5 - 0.25 * std::cos(40 * time), dy = y - 0.5 - 0.25 * std::sin(40 * time);
  return 100 * std::exp(-60 * (dx * dx + dy * dy));
}

double conductivityAt(double x, double y) { return 1 + 0.5 * std::sin(6 * x) * std::sin(6 * y); }

struct Triangle {
  int nodes[3];
  double x[3], y[3];
};

/// The lower (0) or upper (1) one of a square of the mesh.
Triangle triangleOf(const Mesh &mesh, int column, int row, int which) {
  const int corner = row * mesh.edge + column;
  Triangle triangle = {{corner, corner + 1, corner + mesh.edge + 1}, {}, {}};
  if (which == 1) {
    triangle.nodes[1] = corner + mesh.edge + 1;
    triangle.nodes[2] = corner + mesh.edge;
  }
  for (int i = 0; i < 3; ++i) {
    triangle.x[i] = triangle.nodes[i] % mesh.edge * mesh.spacing();
    triangle.y[i] = triangle.nodes[i] / mesh.edge * mesh.spacing();
  }
  return triangle;
}

/// Point number `point` of `fineness * fineness`, each the middle of an equal part of the triangle: its weights of the three corners.
void pointIn(int fineness, int point, double weights[3]) {
  // Row r of the parts has 2 r + 1 of them.
  const int row = static_cast<int>(std::sqrt(static_cast<double>(point))), place = point - row * row;
  const double third = 1.0 / (3 * fineness);
  const int up = place / 2, isUpright = place % 2 == 0;
  weights[0] = 1 - (3 * row + (isUpright ? 2 : 1)) * third;
  weights[1] = (3 * up + (isUpright ? 1 : 2)) * third;
  weights[2] = 1 - weights[0] - weights[1];
}

} // namespace

Matrix assembleMatrix(const Mesh &mesh) {
  const int n = mesh.nodes();
  Matrix matrix = {n, std::vector<double>(static_cast<size_t>(n) * kMostEntries),
                   std::vector<int>(static_cast<size_t>(n) * kMostEntries), std::vector<double>(n)};
  const int offsets[kMostEntries] = {0, 1, -1, mesh.edge, -mesh.edge, mesh.edge + 1, -mesh.edge - 1};
  for (int k = 0; k < kMostEntries; ++k)
    for (int i = 0; i < n; ++i) {
      const int column = i + offsets[k];
      matrix.columns[static_cast<size_t>(k) * n + i] = column < 0 || column >= n ? i : column;
    }
  const double area = mesh.spacing() * mesh.spacing() / 2;
  for (int row = 0; row + 1 < mesh.edge; ++row)
    for (int column = 0; column + 1 < mesh.edge; ++column)
      for (int which = 0; which < 2; ++which) {
        const Triangle t = triangleOf(mesh, column, row, which);
        const double conductivity =
            conductivityAt((t.x[0] + t.x[1] + t.x[2]) / 3, (t.y[0] + t.y[1] + t.y[2]) / 3);
        for (int i = 0; i < 3; ++i) {
          matrix.mass[t.nodes[i]] += area / 3;
          const double yi = t.y[(i + 1) % 3] - t.y[(i + 2) % 3], xi = t.x[(i + 2) % 3] - t.x[(i + 1) % 3];
          for (int j = 0; j < 3; ++j) {
            const double yj = t.y[(j + 1) % 3] - t.y[(j + 2) % 3], xj = t.x[(j + 2) % 3] - t.x[(j + 1) % 3];
            const double stiffness = conductivity * (yi * yj + xi * xj) / (4 * area);
            for (int k = 0; k < kMostEntries; ++k)
              if (t.nodes[i] + offsets[k] == t.nodes[j])
                matrix.values[static_cast<size_t>(k) * n + t.nodes[i]] +=
                    kTimeStep * stiffness + (i == j ? area / 3 : 0);
          }
        }
      }
  return matrix;
}

void assembleLoad(const Mesh &mesh, double time, double *load) {
  for (int i = 0; i < mesh.nodes(); ++i)
    load[i] = 0;
  const int points = mesh.fineness * mesh.fineness;
  const double part = mesh.spacing() * mesh.spacing() / 2 / points;
  for (int row = 0; row + 1 < mesh.edge; ++row)
    for (int column = 0; column + 1 < mesh.edge; ++column)
      for (int which = 0; which < 2; ++which) {
        const Triangle t = triangleOf(mesh, column, row, which);
        double sums[3] = {};
        for (int point = 0; point < points; ++point) {
          double weights[3];
          pointIn(mesh.fineness, point, weights);
          const double source =
              sourceAt(weights[0] * t.x[0] + weights[1] * t.x[1] + weights[2] * t.x[2],
                       weights[0] * t.y[0] + weights[1] * t.y[1] + weights[2] * t.y[2], time);
          for (int i = 0; i < 3; ++i)
            sums[i] += weights[i] * source;
        }
        for (int i = 0; i < 3; ++i)
          load[t.nodes[i]] += kTimeStep * part * sums[i];
      }
}

double distanceFromSource(const Mesh &mesh, double time, const double *field) {
  const int points = mesh.fineness * mesh.fineness;
  const double part = mesh.spacing() * mesh.spacing() / 2 / ((points + 2) / 3);
  double sum = 0;
  for (int row = 0; row + 1 < mesh.edge; ++row)
    for (int column = 0; column + 1 < mesh.edge; ++column)
      for (int which = 0; which < 2; ++which) {
        const Triangle t = triangleOf(mesh, column, row, which);
        for (int point = 0; point < points; point += 3) {
          double weights[3];
          pointIn(mesh.fineness, point, weights);
          double x = 0, y = 0, value = 0;
          for (int i = 0; i < 3; ++i) {
            x += weights[i] * t.x[i];
            y += weights[i] * t.y[i];
            value += weights[i] * field[t.nodes[i]];
          }
          const double distance = value - sourceAt(x, y, time) / 100;
          sum += part * distance * distance;
        }
      }
  return sum;
}
