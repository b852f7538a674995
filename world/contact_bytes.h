// Contacts as bytes, the same in snapshots and in recordings.
#pragma once

#include <abut/core/byte_stream.h>
#include <abut/world/body.h>
#include <abut/world/contact.h>

#include <span>

namespace abut {

/// Slot and generation, 8 bytes.
void write(ByteWriter& out, BodyId body);
/// Their number, then both bodies of each.
void write(ByteWriter& out, std::span<const BodyPair> pairs);
/// The two bodies, then the rest; of the points those that the contact has.
void write(ByteWriter& out, const Contact& contact);

/// What follows the two bodies of a contact, which the caller has read: what they may be is his to check.
/// @throws InvalidInput  naming "status", "is_sensor" or "points" where the bytes hold no such thing or end too soon.
void read_after_bodies(ByteReader& in, Contact& contact);

}  // namespace abut
