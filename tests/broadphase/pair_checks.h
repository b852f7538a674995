// What every list of pairs must satisfy, for the tests of the broad phase.
#pragma once

#include <abut/broadphase/broad_phase.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace abut::test {

template <BroadPhase Broad>
std::vector<ProxyPair> pairs_of(Broad& broad) {
  std::vector<ProxyPair> pairs = {{7, 7}};  // find_pairs replaces what is there
  broad.find_pairs(pairs);
  return pairs;
}

/// a < b, sorted, each pair once.
inline testing::AssertionResult is_canonical(const std::vector<ProxyPair>& pairs) {
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (pairs[i].a >= pairs[i].b) return testing::AssertionFailure() << "a >= b at " << i;
    if (i > 0 && !(pairs[i - 1] < pairs[i])) return testing::AssertionFailure() << "out of order at " << i;
  }
  return testing::AssertionSuccess();
}

/// Equality with the place of the first difference, instead of two long lists.
inline testing::AssertionResult same_pairs(const std::vector<ProxyPair>& actual,
                                           const std::vector<ProxyPair>& expected) {
  const auto [x, y] = std::mismatch(actual.begin(), actual.end(), expected.begin(), expected.end());
  if (x == actual.end() && y == expected.end()) return testing::AssertionSuccess();
  testing::AssertionResult failure = testing::AssertionFailure();
  failure << actual.size() << " pairs instead of " << expected.size() << "; first difference at " << x - actual.begin();
  if (x != actual.end()) failure << ": found (" << x->a << ", " << x->b << ")";
  if (y != expected.end()) failure << ": expected (" << y->a << ", " << y->b << ")";
  return failure;
}

}  // namespace abut::test
