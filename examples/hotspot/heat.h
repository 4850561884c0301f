/// The chip whose temperature is computed, and the calls between the files of
/// this program.
///
/// Every factor in the update is a power of two: the products are exact, so a
/// compiler that fuses multiply and add gets the same bits as one that does not,
/// and the host's answer can be compared bit by bit.
#ifndef HOTSPOT_HEAT_H
#define HOTSPOT_HEAT_H

constexpr int kTile = 16; ///< edge of a thread block

constexpr float kConduct = 0.125f;     ///< share of the difference to the neighbours that flows in a step
constexpr float kHeating = 0.25f;      ///< degrees per step and unit of power
constexpr float kCooling = 0.0078125f; ///< share of the difference to the ambient air that is lost in a step
constexpr float kAmbient = 80.0f;

/// A square chip, `edge` cells on each side, row by row.
struct Chip {
  const float *power;
  int edge;
};

/// Runs `steps` steps on the device; `temperature` (host memory) holds the start and receives the end.
/// Returns false when a CUDA call failed, after saying which.
bool simulateOnDevice(float *temperature, const float *power, int edge, int steps);

#endif
