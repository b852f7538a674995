// Two passes: a short one in order that counts and says where each contact goes, and one that writes them in parallel.
#include <abut/world/detail/contact_list.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <cstddef>

namespace abut::detail {
namespace {

/// Contacts that one task writes at least; a contact patch costs some hundred nanoseconds.
constexpr std::size_t kGrain = 32;

void write_contact(const BodyTable& bodies, const ManifoldOptions& options, const BodyPair& pair,
                   const Separation& separation, Contact& contact) {
  contact.body_a = pair.a;
  contact.body_b = pair.b;
  contact.normal = separation.normal;
  contact.distance = separation.distance;
  contact.distance_error = separation.distance_error;
  contact.status = separation.status;
  const Body& a = bodies[pair.a.slot];
  const Body& b = bodies[pair.b.slot];
  contact.point_count = contact_points(a.shape, a.pose, b.shape, b.pose, separation, options, contact.point_storage);
}

}  // namespace

void ContactList::update(const BodyTable& bodies, const SceneSettings& settings, const Candidates& candidates,
                         const Solutions& solutions, StepStatistics& statistics) {
  candidate_indices_.clear();
  statistics.candidate_pairs = candidates.pairs.size();
  for (std::size_t i = 0; i < candidates.pairs.size(); ++i) {
    if (solutions.verdicts[i] == Verdict::boxes_apart) {
      ++statistics.obb_rejected;
      continue;
    }
    const Separation& separation = solutions.separations[i];
    ++statistics.solved_pairs;
    statistics.iterations += static_cast<std::uint64_t>(separation.iterations);
    if (separation.status == SolveStatus::iteration_limit) ++statistics.not_converged;
    if (solutions.verdicts[i] == Verdict::contact) candidate_indices_.push_back(static_cast<std::uint32_t>(i));
  }
  statistics.contacts = candidate_indices_.size();

  const ManifoldOptions options{.max_points = Contact::kMaxPoints, .max_distance = settings.contact_margin};
  contacts_.resize(candidate_indices_.size());
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, candidate_indices_.size(), kGrain),
                    [&](const tbb::blocked_range<std::size_t>& range) {
                      for (std::size_t i = range.begin(); i != range.end(); ++i) {
                        const std::uint32_t candidate = candidate_indices_[i];
                        write_contact(bodies, options, candidates.pairs[candidate], solutions.separations[candidate],
                                      contacts_[i]);
                      }
                    });
}

}  // namespace abut::detail
