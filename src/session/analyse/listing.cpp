#include "session/analyse/listing.h"

#include <algorithm>

#include "base/elapsed.h"
#include "session/run/problem_setup.h"
#include "session/run/space.h"
#include "spec/new_family.h"
#include "spec/space/restrict.h"

namespace kerlab::session {

namespace {

std::vector<std::string> names_of(const std::vector<DType>& dtypes) {
  std::vector<std::string> names;
  for (const DType dtype : dtypes) names.emplace_back(name(dtype));
  return names;
}

VariantListing list_variant(const Variant& variant) {
  VariantListing listing{variant.name,
                         variant.doc + (untimed_text(variant).empty() ? "" : "; " + untimed_text(variant)),
                         accuracy_text(variant.accuracy),
                         variant.tune,
                         variant.rung,
                         variant.minimum_cc,
                         names_of(variant.dtypes),
                         {},
                         0};
  for (const Parameter& parameter : variant.parameters) {
    listing.parameters.push_back(fmt::format("{} = {}", parameter.name, listed_values(parameter)));
  }
  listing.configurations = raw_size(variant);
  return listing;
}

/// The constraint that leaves the smallest share of what reaches it.
std::string strictest(std::uint64_t reaching, const std::vector<Space::Cut>& cuts) {
  std::string name;
  double least = 1;
  for (const Space::Cut& cut : cuts) {
    const double share = reaching == 0 ? 1 : static_cast<double>(cut.remaining) / static_cast<double>(reaching);
    if (share < least) {
      least = share;
      name = cut.constraint;
    }
    reaching = cut.remaining;
  }
  return name;
}

SpaceListing list_space(const Variant& variant, const Problem& problem, const DeviceInfo& device) {
  SpaceListing listing;
  listing.variant = variant.name;
  listing.unsupported = unsupported_reason(variant, problem, device);
  if (!listing.unsupported.empty()) return listing;
  listing.cuts = constraint_cuts(variant, problem, device);
  const Clock::time_point begun = Clock::now();
  try {
    const Space space = enumerate(variant, problem, device, {SpaceLimits{}.enumerated, 1, 1});  // to be counted
    listing.valid = space.count;
    listing.raw = space.raw;
  } catch (const SpecError&) {
    if (listing.cuts.empty() || listing.cuts.back().remaining > 0) throw;  // nothing is valid: the cuts say it
    listing.raw = raw_size(variant);
  }
  listing.seconds = seconds_since(begun);
  listing.cuts_most = strictest(listing.raw, listing.cuts);
  return listing;
}

std::string with_doc(std::string text, const std::string& doc) {
  return doc.empty() ? text : fmt::format("{} ({})", text, doc);
}

}  // namespace

FamilyListing list_family(const KernelFolder& folder) {
  const Family& family = folder.family;
  FamilyListing listing;
  listing.name = family.name;
  listing.doc = family.doc;
  listing.group = family.group;
  listing.folder = family.folder.string();
  listing.dtypes = names_of(family.dtypes);
  for (const Dimension& dimension : family.dimensions) {
    listing.dimensions.push_back(
        with_doc(fmt::format("{} = {}", dimension.name, dimension.default_value.text()), dimension.doc));
  }
  for (const Flag& flag : family.flags) {
    listing.flags.push_back(with_doc(fmt::format("{} = {}", flag.name, fmt::join(flag.values, ", ")), flag.doc));
  }
  for (const ScalarDecl& scalar : family.scalars) {
    listing.scalars.push_back(with_doc(fmt::format("{} = {}", scalar.name, scalar.default_value), scalar.doc));
  }
  for (const Variant& variant : folder.variants) listing.variants.push_back(list_variant(variant));
  return listing;
}

std::vector<FamilyListing> list_families(const KernelPlaces& kernels) {
  const Catalogue catalogue = open_catalogue(kernels);
  std::vector<FamilyListing> listings;
  for (const std::string& name : catalogue.names()) {
    try {
      listings.push_back(list_family(catalogue.find(name)));
    } catch (const Error& error) {
      FamilyListing broken;
      broken.name = name;
      broken.group = kFamilyGroups.back();
      broken.error = error.what();
      listings.push_back(std::move(broken));
    }
  }
  std::ranges::stable_sort(listings, {}, [](const FamilyListing& listing) {
    return std::ranges::find(kFamilyGroups, listing.group) - kFamilyGroups.begin();
  });
  return listings;
}

FamilyListing list_family(const KernelPlaces& kernels, const std::string& target) {
  return list_family(open_catalogue(kernels).find(target));
}

SpacesListing list_spaces(const RigOptions& options, const std::vector<ProblemArgument>& arguments,
                          const std::string& dtype, const std::vector<std::string>& variants,
                          const std::vector<std::string>& where) {
  KernelFolder folder = open_catalogue(options.kernels).find(options.target);
  const ProblemRequest request = make_request(folder.family, arguments, dtype);
  make_problem(folder.family, request);  // what was typed is judged before a device is needed
  for (const std::string& name : variants) find_variant(folder, name);
  restrict_spaces(folder, where, variants);
  WorkerClient worker(worker_options(options));
  const DeviceInfo device = worker.start();
  const Problem problem = problem_for_device(folder, request, device);
  SpacesListing listing{problem.title(), fmt::format("{} {}", device.id, device.name), {}};
  for (const Variant& variant : folder.variants)
    if (variants.empty() || std::find(variants.begin(), variants.end(), variant.name) != variants.end())
      listing.spaces.push_back(list_space(variant, problem, device));
  return listing;
}

std::filesystem::path new_family(const std::string& name, const std::filesystem::path& parent) {
  const std::filesystem::path folder = parent / name;
  write_new_family(folder, name);
  return folder;
}

}  // namespace kerlab::session
