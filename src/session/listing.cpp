#include "session/listing.h"

#include "spec/new_family.h"

namespace kerlab {

namespace {

std::vector<std::string> names_of(const std::vector<DType>& dtypes) {
  std::vector<std::string> names;
  for (const DType dtype : dtypes) names.emplace_back(name(dtype));
  return names;
}

VariantListing list_variant(const Variant& variant) {
  VariantListing listing{
      variant.name, variant.doc, variant.tune, variant.rung, variant.minimum_cc, names_of(variant.dtypes), {}, 1};
  for (const Parameter& parameter : variant.parameters) {
    listing.parameters.push_back(fmt::format("{} = {}", parameter.name, fmt::join(parameter.values, ", ")));
    listing.configurations *= parameter.values.size();
  }
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

std::vector<FamilyListing> list_families(const std::vector<std::filesystem::path>& kernels) {
  const Catalogue catalogue = open_catalogue(kernels);
  std::vector<FamilyListing> listings;
  for (const std::string& name : catalogue.names()) {
    try {
      listings.push_back(list_family(catalogue.find(name)));
    } catch (const Error& error) {
      FamilyListing broken;
      broken.name = name;
      broken.error = error.what();
      listings.push_back(std::move(broken));
    }
  }
  return listings;
}

FamilyListing list_family(const std::vector<std::filesystem::path>& kernels, const std::string& target) {
  return list_family(open_catalogue(kernels).find(target));
}

std::filesystem::path new_family(const std::string& name, const std::filesystem::path& parent) {
  const std::filesystem::path folder = parent / name;
  write_new_family(folder, name);
  return folder;
}

}  // namespace kerlab
