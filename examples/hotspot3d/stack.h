/// The stack of chips whose temperature is computed, and the calls between the
/// files of this program.
///
/// As in hotspot, every factor is a power of two: the products are exact, and
/// the host's answer can be compared bit by bit.
#ifndef HOTSPOT3D_STACK_H
#define HOTSPOT3D_STACK_H

constexpr int kBlockX = 64; ///< threads of a block along a row
constexpr int kBlockY = 4;  ///< rows of a block

constexpr float kConduct =
    0.125f; ///< share of the difference to a neighbour in the layer that flows in a step
constexpr float kConductZ = 0.0625f;   ///< the same between layers
constexpr float kHeating = 0.25f;      ///< degrees per step and unit of power
constexpr float kCooling = 0.0078125f; ///< share of the difference to the ambient air that is lost in a step
constexpr float kAmbient = 80.0f;

/// `layers` square chips of `edge` cells on each side, layer by layer and row by row.
struct Stack {
  const float *power;
  int edge;
  int layers;
};

/// Runs `steps` steps on the device; `temperature` (host memory) holds the start and receives the end.
/// Returns false when a CUDA call failed, after saying which.
bool simulateOnDevice(float *temperature, const Stack &stack, int steps);

#endif
