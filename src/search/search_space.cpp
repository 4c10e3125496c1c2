#include "search/search_space.h"

#include <algorithm>
#include <cmath>

#include "base/random.h"

namespace kerlab::search {
namespace {

constexpr double kMostCells = 255;
constexpr const char* kVariantMark = " ";  // no parameter begins with a space
constexpr std::size_t kFewNeighbours = 3;

std::uint64_t digest_of(std::size_t variant, const std::vector<std::int64_t>& values) {
  std::uint64_t state = variant;
  for (const std::int64_t value : values) {
    state ^= static_cast<std::uint64_t>(value);
    state = random_next(state);
  }
  return state;
}

/// Sorted. Most columns have a handful of values.
template <typename Value>
std::vector<Value> distinct(const std::vector<Value>& values) {
  std::vector<Value> found;
  for (const Value value : values) {
    const auto at = std::lower_bound(found.begin(), found.end(), value);
    if (at == found.end() || *at != value) found.insert(at, value);
    if (found.size() < 1024) continue;
    found = values;
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    break;
  }
  return found;
}

}  // namespace

SearchSpace::SearchSpace(std::vector<Part> parts) : parts_(std::move(parts)), first_{0} {
  for (const Part& part : parts_) {
    first_.push_back(first_.back() + part.points->size());
    auto& listed = listed_.emplace_back(part.parameters.size());
    for (std::size_t p = 0; p < listed.size(); ++p) {
      std::vector<std::int64_t> values;
      for (const Configuration& point : *part.points) values.push_back(point.values[p]);
      listed[p] = distinct(values);
    }
  }
  find_columns();
  fill_cells();
  index_candidates();
}

std::size_t SearchSpace::variant_of(std::size_t candidate) const {
  if (candidate >= first_.back()) return added_[candidate - first_.back()].variant;
  return static_cast<std::size_t>(std::upper_bound(first_.begin(), first_.end(), candidate) - first_.begin()) - 1;
}

const std::vector<std::int64_t>& SearchSpace::values_of(std::size_t candidate) const {
  if (candidate >= first_.back()) return added_[candidate - first_.back()].configuration.values;
  const std::size_t variant = variant_of(candidate);
  return (*parts_[variant].points)[candidate - first_[variant]].values;
}

/// By the name of the column, in the order of the parts, one of each.
std::map<std::string, std::vector<SearchSpace::Source>> SearchSpace::sources() const {
  std::map<std::string, std::vector<Source>> sources;
  const auto add = [&](const std::string& name, const Source& source) {
    std::vector<Source>& known = sources[name];
    if (!known.empty() && known.back().part == source.part) known.pop_back();  // a feature goes before a parameter
    known.push_back(source);
  };
  for (std::size_t v = 0; v < parts_.size(); ++v) {
    const Part& part = parts_[v];
    for (std::size_t p = 0; p < part.parameters.size(); ++p) add(part.parameters[p], {Source::parameter, v, p});
    for (std::size_t f = 0; f < part.features.size(); ++f) add(part.features[f].name, {Source::feature, v, f});
    if (parts_.size() > 1) add(kVariantMark + part.variant, {Source::variant, v, 0});
  }
  return sources;
}

/// Of each candidate of the source's part.
std::vector<double> SearchSpace::values_in(const Source& source) const {
  const Part& part = parts_[source.part];
  if (source.kind == Source::feature) return part.features[source.index].values;
  std::vector<double> values(part.points->size(), 1.0);
  if (source.kind == Source::parameter)
    std::transform(part.points->begin(), part.points->end(), values.begin(),
                   [&](const Configuration& point) { return static_cast<double>(point.values[source.index]); });
  return values;
}

std::uint8_t SearchSpace::Column::cell(double value) const {
  if (std::isnan(value)) return 0;
  const double scale = std::min(1.0, kMostCells / static_cast<double>(known.size()));
  const auto rank = std::lower_bound(known.begin(), known.end(), value) - known.begin() + 1;
  return static_cast<std::uint8_t>(std::min(kMostCells, std::ceil(static_cast<double>(rank) * scale)));
}

void SearchSpace::find_columns() {
  for (auto& [name, sources] : sources()) {
    Column column{{}, std::move(sources)};
    for (const Source& source : column.sources) {
      const std::vector<double> values = values_in(source);
      column.known.insert(column.known.end(), values.begin(), values.end());
    }
    const bool somewhere_none = column.known.size() < size();
    column.known = distinct(column.known);
    if (column.known.size() + (somewhere_none ? 1 : 0) < 2) continue;  // says nothing
    of_parameter_.push_back(std::any_of(column.sources.begin(), column.sources.end(),
                                        [](const Source& source) { return source.kind == Source::parameter; }));
    columns_.push_back(std::move(column));
  }
}

/// Row by row: trees walk a row. 0 where a variant has no such thing.
void SearchSpace::fill_cells() {
  cells_.resize(size() * columns());
  for (std::size_t c = 0; c < columns(); ++c)
    for (const Source& source : columns_[c].sources) {
      std::size_t at = first_[source.part] * columns() + c;
      for (const double value : values_in(source)) {
        cells_[at] = columns_[c].cell(value);
        at += columns();
      }
    }
}

std::vector<std::uint8_t> SearchSpace::make_row(std::size_t variant, const Configuration& configuration,
                                                const std::vector<double>& features) const {
  std::vector<std::uint8_t> row;
  for (const Column& column : columns_) {
    const auto source = std::partition_point(column.sources.begin(), column.sources.end(),
                                             [&](const Source& its) { return its.part < variant; });
    double value = std::nan("");
    if (source != column.sources.end() && source->part == variant) {
      if (source->kind == Source::variant) value = 1;
      if (source->kind == Source::parameter) value = static_cast<double>(configuration.values[source->index]);
      if (source->kind == Source::feature) value = features[source->index];
    }
    row.push_back(column.cell(value));
  }
  return row;
}

std::optional<std::vector<std::uint8_t>> SearchSpace::row_of(std::size_t variant,
                                                             const std::vector<std::int64_t>& values) const {
  if (const auto known = find(variant, values))
    return std::vector<std::uint8_t>(row(*known).begin(), row(*known).end());
  if (!parts_[variant].look_at) return std::nullopt;
  const Configuration configuration{values};
  const auto features = parts_[variant].look_at(configuration);
  return features ? std::optional(make_row(variant, configuration, *features)) : std::nullopt;
}

std::optional<std::size_t> SearchSpace::find_or_admit(std::size_t variant, const std::vector<std::int64_t>& values) {
  if (const auto known = find(variant, values)) return known;
  const Part& part = parts_[variant];
  if (!part.look_at) return std::nullopt;
  const Configuration configuration{values};
  const auto features = part.look_at(configuration);
  if (!features) return std::nullopt;
  const std::vector<std::uint8_t> row = make_row(variant, configuration, *features);
  cells_.insert(cells_.end(), row.begin(), row.end());
  added_by_digest_.emplace(digest_of(variant, values), size());
  added_.push_back({variant, configuration});
  part.admit(configuration);
  return size() - 1;
}

void SearchSpace::index_candidates() {
  by_digest_.reserve(size());
  for (std::size_t v = 0; v < parts_.size(); ++v)
    for (std::size_t i = first_[v]; i < first_[v + 1]; ++i)
      by_digest_.emplace_back(digest_of(v, (*parts_[v].points)[i - first_[v]].values), static_cast<std::uint32_t>(i));
  std::sort(by_digest_.begin(), by_digest_.end());
}

std::optional<std::size_t> SearchSpace::find(std::size_t variant, const std::vector<std::int64_t>& values) const {
  const std::uint64_t digest = digest_of(variant, values);
  auto at = std::lower_bound(by_digest_.begin(), by_digest_.end(), std::pair<std::uint64_t, std::uint32_t>(digest, 0));
  for (; at != by_digest_.end() && at->first == digest; ++at)
    if (variant_of(at->second) == variant && values_of(at->second) == values) return at->second;
  const auto [begin, end] = added_by_digest_.equal_range(digest);
  for (auto added = begin; added != end; ++added)
    if (variant_of(added->second) == variant && values_of(added->second) == values) return added->second;
  return std::nullopt;
}

void SearchSpace::one_step(std::size_t variant, std::vector<std::int64_t> values, std::vector<std::size_t>& found) {
  for (std::size_t p = 0; p < values.size(); ++p) {
    const std::int64_t here = values[p];
    for (const std::int64_t other : listed_[variant][p]) {
      if (other == here) continue;
      values[p] = other;
      if (const auto neighbour = find_or_admit(variant, values)) found.push_back(*neighbour);
    }
    values[p] = here;
  }
}

std::vector<std::size_t> SearchSpace::neighbours(std::size_t candidate) {
  const std::size_t variant = variant_of(candidate);
  const bool grows = parts_[variant].look_at != nullptr;  // then looking is expensive
  if (const auto known = known_neighbours_.find(candidate); grows && known != known_neighbours_.end())
    return known->second;
  std::vector<std::size_t> found;
  const std::vector<std::int64_t> here = values_of(candidate);
  one_step(variant, here, found);
  const bool few = found.size() < kFewNeighbours;
  for (std::size_t p = 0; p < here.size() && few; ++p) {
    std::vector<std::int64_t> values = here;
    for (const std::int64_t other : listed_[variant][p]) {
      if (other == here[p]) continue;
      values[p] = other;
      one_step(variant, values, found);
    }
  }
  if (few) {
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    std::erase(found, candidate);
  }
  if (grows) known_neighbours_.emplace(candidate, found);
  return found;
}

}  // namespace kerlab::search
