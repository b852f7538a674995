// Structured bindings name every member: where one is added this file does not compile until it is written as well.
#include <abut/core/error.h>
#include <abut/world/contact_bytes.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace abut {
namespace {

constexpr std::size_t kPointBytes = 12 * sizeof(double);

/// Normals are unit to rounding, whatever the poses; what is off by more is none.
constexpr double kUnitTolerance = 1e-6;

void read_point(ByteReader& in, ContactPoint& point) {
  point.point_a = in.read_matrix<3>();
  point.point_b = in.read_matrix<3>();
  point.distance = in.read<double>();
  point.feature_id = in.read<std::uint64_t>();
  point.normal = in.read_matrix<3>();
  point.leaf_a = in.read<std::uint32_t>();
  point.leaf_b = in.read<std::uint32_t>();
  require_finite("point_a", point.point_a);
  require_finite("point_b", point.point_b);
  require_finite("distance", point.distance);
  require_unit("normal", point.normal);
}

}  // namespace

void require_unit(std::string_view field, const Vector3d& direction) {
  const double length = direction.norm();
  if (!(std::abs(length - 1.0) <= kUnitTolerance)) throw InvalidInput(std::string(field), "must be unit", length);
}

void require_error_bound(std::string_view field, double bound) {
  if (!(bound >= 0.0)) throw InvalidInput(std::string(field), "must be >= 0", bound);
}

void write(ByteWriter& out, BodyId body) {
  out.write(body.slot);
  out.write(body.generation);
}

void write(ByteWriter& out, std::span<const BodyPair> pairs) {
  out.write_count(pairs.size());
  for (const BodyPair& pair : pairs) {
    write(out, pair.a);
    write(out, pair.b);
  }
}

void write(ByteWriter& out, const Contact& contact) {
  const auto& [body_a, body_b, normal, distance, distance_error, status, is_sensor, point_count, point_storage] =
      contact;
  write(out, body_a);
  write(out, body_b);
  out.write(normal);
  out.write(distance);
  out.write(distance_error);
  out.write(status);
  out.write(is_sensor);
  out.write_count(point_count);
  for (const ContactPoint& point : contact.points()) {
    const auto& [point_a, point_b, point_distance, feature_id, point_normal, leaf_a, leaf_b] = point;
    out.write(point_a);
    out.write(point_b);
    out.write(point_distance);
    out.write(feature_id);
    out.write(point_normal);
    out.write(leaf_a);
    out.write(leaf_b);
  }
}

void read_after_bodies(ByteReader& in, Contact& contact) {
  contact.normal = in.read_matrix<3>();
  contact.distance = in.read<double>();
  contact.distance_error = in.read<double>();
  contact.status = in.read_enum("status", SolveStatus::beyond_limit);
  contact.is_sensor = in.read_bool("is_sensor");
  require_unit("normal", contact.normal);
  require_finite("distance", contact.distance);
  require_error_bound("distance_error", contact.distance_error);
  if (contact.status == SolveStatus::beyond_limit) throw InvalidInput("status", "must be that of a distance");
  const std::size_t point_count = in.read_count("points", kPointBytes);
  if (point_count < 1 || point_count > Contact::kMaxPoints) {
    throw InvalidInput("points", "must be 1 ... " + std::to_string(Contact::kMaxPoints) + " points, got " +
                                     std::to_string(point_count));
  }
  contact.point_count = static_cast<std::uint32_t>(point_count);
  for (std::size_t i = 0; i < point_count; ++i) {
    try {
      read_point(in, contact.point_storage[i]);
    } catch (const InvalidInput& error) {
      throw error.within("points[" + std::to_string(i) + ']');
    }
  }
}

}  // namespace abut
