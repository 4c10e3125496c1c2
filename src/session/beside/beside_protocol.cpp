#include "session/beside/beside_protocol.h"

#include <algorithm>
#include <cmath>

#include "base/json_text.h"

namespace kerlab::session {
namespace {

constexpr std::size_t kLongestRowName = 120, kLongestRowNote = 400;

std::string json_number(double value) {
  return std::isfinite(value) ? fmt::format("{}", value) : "null";
}

template <typename Items, typename Write>
std::string joined_json(const Items& items, const Write& write) {
  std::string text;
  for (const auto& item : items) text += (text.empty() ? "" : ",") + write(item);
  return text;
}

std::string tensor_json(const Tensor& tensor) {
  return fmt::format(R"({{"name":{},"dtype":{},"role":{},"shape":[{}],"hot":{}}})", json_string(tensor.name),
                     json_string(name(tensor.dtype)), json_string(name(tensor.role)), fmt::join(tensor.shape, ","),
                     tensor.hot);
}

/// Text for a screen: one line of no more than so many bytes.
std::string words_at(const JsonNode& node, std::size_t most) {
  if (!node.is_text()) node.fail("is no text");
  const std::string text = node.text();
  const bool controls =
      std::ranges::any_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
  if (controls) node.fail("has control characters");
  if (text.size() > most) node.fail(fmt::format("has more than {} bytes", most));
  return text;
}

double time_at(const JsonNode& node) {
  if (!node.is_number()) node.fail("is no number of microseconds");
  const double us = node.number();
  if (!std::isfinite(us) || us <= 0) node.fail(fmt::format("{} is no time: more than 0 microseconds", us));
  return us;
}

/// A list of samples, or a median alone.
Summary summary_at(const JsonNode& node) {
  if (!node.is_array()) {
    Summary summary;
    summary.median = summary.low = summary.high = summary.minimum = time_at(node);
    return summary;
  }
  std::vector<double> samples;
  for (const JsonNode& sample : node.elements()) samples.push_back(time_at(sample));
  if (samples.empty()) node.fail("has no sample");
  if (samples.size() > kMostBesideSamples) node.fail(fmt::format("has more than {} samples", kMostBesideSamples));
  return summarize(samples).value();
}

BesideRow row_at(const JsonNode& node, double fastest_us) {
  if (!node.is_object()) node.fail("is no row {\"name\": ..., \"microseconds\": [...]}");
  BesideRow row;
  row.name = words_at(node.at("name"), kLongestRowName);
  if (row.name.empty()) node.at("name").fail("is empty");
  if (const auto note = node.find("note")) row.note = words_at(*note, kLongestRowNote);
  row.summary = summary_at(node.at("microseconds"));
  row.impossible = row.summary.median < 0.98 * fastest_us;
  return row;
}

}  // namespace

std::string beside_request(const ProblemSetup& setup, const DeviceInfo& device, const BesideWish& wish) {
  const Problem& problem = setup.problem;
  const auto dimension = [](const auto& one) { return fmt::format("{}:{}", json_string(one.first), one.second); };
  const auto scalar = [](const auto& one) {
    return fmt::format("{}:{}", json_string(one.first), json_number(one.second));
  };
  const auto flag = [](const auto& one) {
    return fmt::format("{}:{}", json_string(one.first), json_string(one.second));
  };
  std::string text =
      fmt::format(R"({{"protocol":{},"family":{},"problem":{},"dtype":{})", json_string(kBesideProtocol),
                  json_string(problem.family), json_string(setup.plan.key), json_string(name(problem.dtype)));
  text +=
      fmt::format(R"(,"dimensions":{{{}}},"scalars":{{{}}},"flags":{{{}}})", joined_json(problem.dimensions, dimension),
                  joined_json(problem.scalars, scalar), joined_json(problem.flags, flag));
  text += fmt::format(R"(,"tensors":[{}],"flops":{},"bytes":{})", joined_json(setup.plan.tensors, tensor_json),
                      json_number(setup.plan.flops), json_number(setup.plan.bytes));
  text +=
      fmt::format(R"(,"device":{{"id":{},"name":{},"uuid":{},"kind":{},"l2_bytes":{}}})", json_string(device.id),
                  json_string(device.name), json_string(device.uuid), json_string(name(device.kind)), device.l2_bytes);
  return text + fmt::format(R"(,"cache":"{}","rounds":{},"seconds":{}}})",
                            name(wish.hot ? CacheState::hot : CacheState::cold), wish.rounds,
                            json_number(wish.seconds));
}

std::vector<BesideRow> beside_rows(const JsonNode& answer, double fastest_us) {
  if (!answer.is_object()) answer.fail("is no object {\"rows\": [...]} or {\"error\": \"why\"}");
  if (const auto error = answer.find("error")) throw Error("it says: " + words_at(*error, kLongestRowNote));
  const JsonNode listed = answer.at("rows");
  if (!listed.is_array()) listed.fail("is no list of rows");
  std::vector<BesideRow> rows;
  for (const JsonNode& node : listed.elements()) {
    rows.push_back(row_at(node, fastest_us));
    if (rows.size() > kMostBesideRows) listed.fail(fmt::format("has more than {} rows", kMostBesideRows));
    const auto same = [&](const BesideRow& row) { return row.name == rows.back().name; };
    if (std::ranges::count_if(rows, same) > 1)
      node.at("name").fail(fmt::format("there are two rows {}", rows.back().name));
  }
  if (rows.empty()) listed.fail("has no row; {\"error\": \"why\"} says that it cannot do the problem");
  return rows;
}

}  // namespace kerlab::session
