#include "address_density.h"

#include <bit>

namespace cupr::viewer {

void AddressDensity::add(const analysis::Record &record, std::uint64_t number) {
  if (number < bounds_.firstRecord || number >= bounds_.endRecord ||
      abi::spaceOf(record.site->space) != bounds_.space)
    return;
  // Numbers of records and addresses within a launch are far from what a double can't hold.
  const double across = static_cast<double>(number - bounds_.firstRecord) /
                        static_cast<double>(bounds_.endRecord - bounds_.firstRecord);
  const auto column = static_cast<std::size_t>(across * bounds_.columns);
  const double perByte = bounds_.rows / (static_cast<double>(bounds_.lastAddress - bounds_.firstAddress) + 1);
  const auto plane = static_cast<std::size_t>(abi::operationClass(record.site->operation));
  std::uint32_t *const cells = &cells_[plane * bounds_.rows * bounds_.columns + column];
  for (std::uint32_t left = record.access.laneMask; left != 0; left &= left - 1) {
    const std::uint64_t address = record.access.address[std::countr_zero(left)];
    if (address < bounds_.firstAddress || address > bounds_.lastAddress)
      continue;
    const double along = static_cast<double>(address - bounds_.firstAddress) * perByte;
    const auto row = std::min(static_cast<std::size_t>(along), std::size_t{bounds_.rows} - 1);
    ++cells[row * bounds_.columns];
  }
}

} // namespace cupr::viewer
