// The grid of columns of a sweep: axis, width and number of the columns.
#include <abut/broadphase/detail/column_grid.h>
#include <abut/broadphase/detail/rounding.h>
#include <abut/core/assert.h>

#include <array>
#include <bit>

namespace abut::detail {
namespace {

// Width of a column over the upper quartile of the sizes. Wider columns hold more candidates, narrower ones more copies
// of a box and take more memory. Measured on the scenes of the benchmark, 3 to 5 differ by less than a tenth.
constexpr float kWidthOverSize = 4.0F;

// Boxes a column: fewer make the columns too short for a vectorised sweep, more make candidates of distant cells.
constexpr std::size_t kBoxesPerColumn = 8;

// Columns are at least this fraction of the spread of the boxes, so that cell numbers stay small.
constexpr float kMinWidthOverSpread = 1.0F / 65536.0F;

/// Sorted values of a sample, and what is read off them. Quartiles, unlike a variance, are not moved by a few boxes
/// with infinite sides.
class Quartiles {
 public:
  void add(float value) { values_[count_++] = value; }
  void sort() { std::sort(values_.begin(), values_.begin() + static_cast<std::ptrdiff_t>(count_)); }
  [[nodiscard]] float median() const { return values_[count_ / 2]; }
  [[nodiscard]] float upper() const { return values_[(3 * count_) / 4]; }
  [[nodiscard]] float spread() const { return upper() - values_[count_ / 4]; }

 private:
  std::array<float, kMaxSample> values_ = {};
  std::size_t count_ = 0;
};

/// Widens `values` by `amount` downwards (or upwards) while they are copied.
template <bool kUpwards>
void copy_widened(const float* values, std::size_t count, float amount, float* widened) {
  if (amount == 0.0F) {
    for (std::size_t k = 0; k < count; ++k) widened[k] = values[k];
    return;
  }
  for (std::size_t k = 0; k < count; ++k)
    widened[k] = kUpwards ? raised(values[k], amount) : lowered(values[k], amount);
}

/// Whether both sizes are at most `limit`; a number, so that no branch comes of it.
unsigned is_within(float size_u, float size_v, float limit) {
  return static_cast<unsigned>(size_u <= limit) & static_cast<unsigned>(size_v <= limit);
}

constexpr std::size_t kBatch = 64;

}  // namespace

// Loops over short arrays, without branches: the compiler makes vector code of them.
void ColumnGrid::find_codes(const BoxTable& table, std::uint32_t first, std::size_t count, std::uint32_t* codes) const {
  const BoxArrays& boxes = table.boxes();
  const float margin = table.half_margin();
  for (std::size_t done = 0; done < count; done += kBatch) {
    const std::size_t n = std::min(kBatch, count - done);
    const std::size_t begin = first + done;
    std::array<float, kBatch> lower_u;
    std::array<float, kBatch> upper_u;
    std::array<float, kBatch> lower_v;
    std::array<float, kBatch> upper_v;
    copy_widened<false>(boxes.lower[u_axis].data() + begin, n, margin, lower_u.data());
    copy_widened<true>(boxes.upper[u_axis].data() + begin, n, margin, upper_u.data());
    copy_widened<false>(boxes.lower[v_axis].data() + begin, n, margin, lower_v.data());
    copy_widened<true>(boxes.upper[v_axis].data() + begin, n, margin, upper_v.data());
    std::uint32_t* const out = codes + done;
    if (columns == 1) {  // cells have no meaning then
      for (std::size_t k = 0; k < n; ++k) {
        out[k] = is_within(upper_u[k] - lower_u[k], upper_v[k] - lower_v[k], size_limit) != 0 ? 0U : Code::kNone;
      }
      continue;
    }
    for (std::size_t k = 0; k < n; ++k) {
      const int first_u = cell(lower_u[k], origin_u);
      const int first_v = cell(lower_v[k], origin_v);
      const auto more_u = static_cast<std::uint32_t>(cell(upper_u[k], origin_u) - first_u);
      const auto more_v = static_cast<std::uint32_t>(cell(upper_v[k], origin_v) - first_v);
      const std::uint32_t code = column(first_u, first_v) | (more_u << Code::kShiftU) | (more_v << Code::kShiftV);
      out[k] = is_within(upper_u[k] - lower_u[k], upper_v[k] - lower_v[k], size_limit) != 0 ? code : Code::kNone;
    }
  }
}

ColumnGrid choose_grid(std::span<const FloatBox> sample, std::size_t count, const ColumnGrid* finer) {
  ABUT_ASSERT(!sample.empty() && sample.size() <= kMaxSample);
  std::array<Quartiles, 3> centers;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (const FloatBox& box : sample) centers[axis].add(0.5F * box.lower[axis] + 0.5F * box.upper[axis]);
    centers[axis].sort();
  }

  ColumnGrid grid;
  if (finer != nullptr) {
    grid.sweep_axis = finer->sweep_axis;
  } else {
    for (std::size_t axis = 1; axis < 3; ++axis) {
      if (centers[axis].spread() > centers[grid.sweep_axis].spread()) grid.sweep_axis = axis;
    }
  }
  grid.u_axis = (grid.sweep_axis + 1) % 3;
  grid.v_axis = (grid.sweep_axis + 2) % 3;
  grid.origin_u = centers[grid.u_axis].median();
  grid.origin_v = centers[grid.v_axis].median();

  Quartiles sizes;
  for (const FloatBox& box : sample) sizes.add(grid.size_of(box));
  sizes.sort();
  const float spread = std::max(centers[grid.u_axis].spread(), centers[grid.v_axis].spread());
  float width = std::max(kWidthOverSize * sizes.upper(), kMinWidthOverSpread * spread);
  if (width == 0.0F) width = 1.0F;

  const auto wanted = static_cast<std::uint32_t>(std::min<std::size_t>(
      std::bit_floor(std::max<std::size_t>(count / kBoxesPerColumn, 1)), ColumnGrid::kMaxColumns));
  // Boxes with infinite sides are all of one size: one column takes them.
  constexpr float kUnbounded = 0.01F * kLargestFloat;
  if (width > kUnbounded) return grid;
  // Very narrow columns would have an infinite inverse.
  width = std::max(width, 1.0F / kUnbounded);
  grid.size_limit = ColumnGrid::kMaxWidths * width;
  if (wanted < ColumnGrid::kMinColumns) return grid;
  grid.columns = wanted;
  grid.cells_per_metre = 1.0F / width;
  // An odd step near the golden section of the cycle keeps cells that are few rows apart far apart on it.
  grid.row_stride = static_cast<std::uint32_t>(0.618 * static_cast<double>(wanted)) | 1U;
  return grid;
}

}  // namespace abut::detail
