#include "vendor/plugin.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <sstream>

#include "base/error.h"
#include "device/cuda/cuda_device.h"

namespace kerlab::vendor {
namespace {

constexpr std::size_t kWhyBytes = 256;

/// What the loader says, without the folder: messages may end in a database that others read.
std::string without_folder(std::string text, const std::filesystem::path& file) {
  const std::string folder = file.parent_path().string();
  for (std::size_t at = 0; !folder.empty() && (at = text.find(folder + "/", at)) != std::string::npos;)
    text.erase(at, folder.size() + 1);
  return text;
}

void* stream_of(Device& device) {
  const auto* gpu = dynamic_cast<const CudaDevice*>(&device);
  return gpu == nullptr ? nullptr : reinterpret_cast<void*>(gpu->stream());
}

}  // namespace

Plugin::Plugin(const std::filesystem::path& file) : file_(file.filename().string()) {
  // Where there is no slash the loader would look in its own folders.
  const std::filesystem::path place = file.has_parent_path() ? file : std::filesystem::path(".") / file;
  void* opened = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (opened == nullptr) {
    const char* said = dlerror();
    throw Error(fmt::format("library {}: it cannot be loaded: {}", file_,
                            without_folder(said != nullptr ? said : "nothing is known", place)));
  }
  const auto entry = reinterpret_cast<decltype(&kerlab_open_library)>(dlsym(opened, "kerlab_open_library"));
  if (entry == nullptr)
    throw Error(
        fmt::format("library {}: it has no C function kerlab_open_library: is it built with kerlab_library.h, and "
                    "its function extern \"C\"?",
                    file_));
  library_ = entry(KERLAB_LIBRARY_VERSION);
  if (library_ == nullptr || library_->version != KERLAB_LIBRARY_VERSION) {
    const std::string speaks = library_ == nullptr ? "another version" : fmt::format("version {}", library_->version);
    throw Error(
        fmt::format("library {}: it speaks {} of the interface, this kerlab speaks {}: build it again with the "
                    "kerlab_library.h beside this kerlab",
                    file_, speaks, KERLAB_LIBRARY_VERSION));
  }
  if (library_->name == nullptr || *library_->name == '\0' || library_->open == nullptr || library_->run == nullptr)
    throw Error(fmt::format("library {}: its name, open or run is null", file_));
}

ProblemWords problem_words(const ProblemPlan& plan) {
  ProblemWords words;
  std::istringstream key(plan.key);
  key >> words.family;
  for (std::string word; key >> word;) {
    const std::size_t at = word.find('=');
    if (at == std::string::npos)
      words.dtype = word;
    else
      words.settings.emplace_back(word.substr(0, at), word.substr(at + 1));
  }
  return words;
}

PluginRow::PluginRow(const Plugin& plugin, Device& device, const ProblemPlan& plan, std::vector<Set> sets)
    : plugin_(plugin), device_(device), words_(problem_words(plan)), tensors_(plan.tensors), sets_(std::move(sets)) {
  for (const auto& [name, value] : words_.settings) settings_.push_back({name.c_str(), value.c_str()});
  for (const Tensor& tensor : tensors_) {
    types_.emplace_back(plan::name(tensor.dtype));
    roles_.emplace_back(plan::name(tensor.role));
  }
  for (std::size_t i = 0; i < tensors_.size(); ++i)
    described_.push_back({tensors_[i].name.c_str(), roles_[i].c_str(), types_[i].c_str(),
                          static_cast<std::int64_t>(tensors_[i].shape.size()), tensors_[i].shape.data()});
  problem_ = {words_.family.c_str(),
              words_.dtype.c_str(),
              static_cast<std::int64_t>(settings_.size()),
              settings_.data(),
              static_cast<std::int64_t>(described_.size()),
              described_.data()};
}

std::unique_ptr<PluginRow> PluginRow::open(const Plugin& plugin, Device& device, const ProblemPlan& plan,
                                           std::vector<Set> sets, std::string& why) {
  std::unique_ptr<PluginRow> row(new PluginRow(plugin, device, plan, std::move(sets)));
  std::array<char, kWhyBytes> said{};
  const int answer = plugin.library().open(&row->problem_, &row->row_, said.data());
  said.back() = '\0';
  if (answer != KERLAB_TAKEN) {
    const std::string reason = said.front() == '\0' ? "" : fmt::format(": {}", said.data());
    why = fmt::format("{} {} {}{}", plugin.name(), answer == KERLAB_REFUSED ? "does not compute" : "failed on",
                      plan.key, reason);
    return nullptr;
  }
  row->opened_ = true;
  row->row_.label[sizeof row->row_.label - 1] = '\0';
  row->label_ = plugin.name();
  if (row->row_.label[0] != '\0') row->label_ += fmt::format(" {}", row->row_.label);
  return row;
}

PluginRow::~PluginRow() {
  if (opened_ && plugin_.library().close != nullptr) plugin_.library().close(row_.state);
}

void PluginRow::run(std::size_t set) const {
  const int status = plugin_.library().run(row_.state, stream_of(device_), workspace_, sets_.at(set).data());
  if (status != 0)
    throw DeviceFault(FaultKind::launch_failed, fmt::format("{}: its run says error {}", label_, status), false);
}

std::optional<GraphId> PluginRow::capture(std::size_t sets, int repeats) const {
  auto* gpu = dynamic_cast<CudaDevice*>(&device_);
  if (gpu == nullptr) return std::nullopt;
  try {
    return gpu->capture_calls([&] {
      for (int i = 0; i < repeats; ++i)
        for (std::size_t set = 0; set < sets; ++set) run(set);
    });
  } catch (const DeviceFault& fault) {
    if (fault.sticky()) throw;
    return std::nullopt;
  }
}

}  // namespace kerlab::vendor
