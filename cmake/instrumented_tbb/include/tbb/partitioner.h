// tbb's partitioners of the thread sanitizer build: accepted everywhere, without effect.
#pragma once

namespace tbb {

class auto_partitioner {};
class simple_partitioner {};
class static_partitioner {};
class affinity_partitioner {};

}  // namespace tbb
