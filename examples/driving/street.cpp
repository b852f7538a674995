#include "street.h"

#include <numbers>
#include <random>

namespace abut::driving {
namespace {

constexpr double kRightKerb = -5.4;  // metres, where the pavements begin
constexpr double kLeftKerb = 3.6;
constexpr double kKerbWidth = 0.3;
constexpr double kKerbStone = 2.0;     // length of one piece
constexpr double kParkingRow = -4.35;  // the middle line of the parked cars
constexpr double kParkingSpace = 6.2;

// The distributions of <random> differ from library to library, its generators do not.
class Random {
 public:
  explicit Random(std::uint64_t seed) : bits_(seed) {}
  double uniform(double lower, double upper) {
    return lower + (upper - lower) * (static_cast<double>(bits_() >> 11) * 0x1.0p-53);
  }

 private:
  std::mt19937_64 bits_;
};

class Builder {
 public:
  void add(const std::string& kind, const Shape& shape, double x, double y, double angle) {
    std::size_t number = 1;
    for (const std::string& name : street.names) number += name.starts_with(kind) ? 1 : 0;
    street.obstacles.push_back({shape, planar::Pose({x, y}, angle)});
    street.names.push_back(kind + " " + std::to_string(number));
  }
  void add_car(const std::string& kind, double x, double y, double angle, double length, double width) {
    add(kind, car_shape(-0.5 * length, 0.5 * length, width, 0.25), x, y, angle);
  }

  Street street;
};

}  // namespace

Shape car_shape(double rear, double front, double width, double radius) {
  const double half = 0.5 * width - radius;
  const std::vector<Vector2d> corners{
      {rear + radius, -half}, {front - radius, -half}, {front - radius, half}, {rear + radius, half}};
  return Shape::polygon(corners, radius);
}

Street make_street(std::uint64_t seed) {
  Random random(seed);
  Builder builder;
  for (double x = 0.5 * kParkingSpace; x < kStreetLength; x += kParkingSpace) {
    const bool is_free = random.uniform(0.0, 1.0) < 0.15;
    const double length = random.uniform(3.8, 4.8);
    const double along = x + random.uniform(-0.4, 0.4);
    const double across = kParkingRow + random.uniform(-0.1, 0.2);
    const double angle = random.uniform(-0.04, 0.04);
    if (!is_free) builder.add_car("parked car", along, across, angle, length, 1.8);
  }
  // In the second row, and half on the pavement across the street.
  builder.add_car("delivery van", 29.0, -2.2, 0.02, 5.6, 2.0);
  builder.add_car("parked car", 55.0, 2.7, std::numbers::pi + 0.03, 4.4, 1.8);
  for (double x = 0.5 * kKerbStone; x < kStreetLength; x += kKerbStone) {
    const Shape stone = car_shape(-0.5 * kKerbStone, 0.5 * kKerbStone, kKerbWidth, 0.0);
    builder.add("kerb", stone, x, kRightKerb - 0.5 * kKerbWidth, 0.0);
    builder.add("kerb", stone, x, kLeftKerb + 0.5 * kKerbWidth, 0.0);
  }
  for (double x = 36.0; x < 46.0; x += 2.0) builder.add("bollard", Shape::circle(0.1), x, kLeftKerb - 0.35, 0.0);
  return builder.street;
}

}  // namespace abut::driving
