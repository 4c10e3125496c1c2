#include "model/what_if.h"

#include <algorithm>

namespace kerlab::model {

void sort_by_ratio(std::vector<WhatIf>& list) {
  std::stable_sort(list.begin(), list.end(), [](const WhatIf& a, const WhatIf& b) {
    const double left = a.best_ratio(), right = b.best_ratio();
    if ((left > 0) != (right > 0)) return left > 0;
    return left < right;
  });
}

}  // namespace kerlab::model
