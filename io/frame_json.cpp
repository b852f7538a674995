#include <abut/io/frame_json.h>
#include <abut/io/json.h>
#include <abut/io/json_text.h>

namespace abut {
namespace {

// Appends "[item,item]".
template <class Range, class Append>
void append_list(std::string& line, const Range& range, Append append) {
  line += '[';
  bool is_first = true;
  for (const auto& item : range) {
    if (!is_first) line += ',';
    is_first = false;
    append(item);
  }
  line += ']';
}

}  // namespace

FrameWriter::FrameWriter(std::span<const std::string> names) {
  quoted_names_.reserve(names.size());
  for (const std::string& name : names) quoted_names_.push_back(json::quoted(name));
}

const std::string& FrameWriter::write(const Scene& scene, std::size_t frame, double time) {
  line_ = "{\"frame\":";
  json::append(line_, frame);
  json::append_field(line_, "time", time);
  json::append_field(line_, "bodies", scene.body_count());
  json::append_field(line_, "candidate_pairs", scene.candidate_pairs().size());
  line_ += ",\"contacts\":";
  append_list(line_, scene.contacts(), [this](const Contact& contact) { append_contact(contact); });
  line_ += ",\"began\":";
  append_list(line_, scene.began(), [this](const BodyPair& pair) { append_pair(pair); });
  line_ += ",\"ended\":";
  append_list(line_, scene.ended(), [this](const BodyPair& pair) { append_pair(pair); });
  line_ += '}';
  return line_;
}

void FrameWriter::append_pair(const BodyPair& pair) {
  (line_ += '[') += quoted_names_[pair.a.slot];
  (line_ += ',') += quoted_names_[pair.b.slot];
  line_ += ']';
}

void FrameWriter::append_contact(const Contact& contact) {
  (line_ += "{\"a\":") += quoted_names_[contact.body_a.slot];
  (line_ += ",\"b\":") += quoted_names_[contact.body_b.slot];
  json::append_field(line_, "distance", contact.distance);
  json::append_field(line_, "normal", contact.normal);
  line_ += ",\"points\":";
  append_list(line_, contact.points(), [this](const ContactPoint& point) {
    line_ += "{\"a\":";
    json::append(line_, point.point_a);
    json::append_field(line_, "b", point.point_b);
    json::append_field(line_, "distance", point.distance);
    line_ += '}';
  });
  line_ += '}';
}

}  // namespace abut
