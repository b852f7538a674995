// Contacts as bytes, the same in snapshots and in recordings.
#pragma once

#include <abut/core/byte_stream.h>
#include <abut/world/body.h>
#include <abut/world/contact.h>

#include <span>
#include <string_view>

namespace abut {

/// Slot and generation, 8 bytes.
void write(ByteWriter& out, BodyId body);
/// Their number, then both bodies of each.
void write(ByteWriter& out, std::span<const BodyPair> pairs);
/// The two bodies, then the rest; of the points those that the contact has.
void write(ByteWriter& out, const Contact& contact);

/// @throws InvalidInput  naming the field unless it is of unit length, but for roundings.
void require_unit(std::string_view field, const Vector3d& direction);
/// @throws InvalidInput  naming the field unless it is >= 0; infinite is a bound.
void require_error_bound(std::string_view field, double bound);

/// What follows the two bodies of a contact, which the caller has read: what they may be, how far apart, and what
/// leaves they have is his to check.
/// @throws InvalidInput  naming the field that no contact can have: numbers that are not finite, a normal that is not
///                       unit, an error below zero, no points or more than kMaxPoints; or bytes that end too soon.
void read_after_bodies(ByteReader& in, Contact& contact);

}  // namespace abut
