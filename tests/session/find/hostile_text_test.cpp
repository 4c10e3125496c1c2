// Every kind of text that kerlab reads besides families and baselines: cut and changed at random, it is read or refused
// with its name, and never more than that.

#include <random>

#include "base/file.h"
#include "base/temporary_folder.h"
#include "catch.h"
#include "device/emu/emu_device_profile.h"
#include "device/script/script.h"
#include "model/profile.h"
#include "session/analyse/sweeps.h"
#include "session/find/regress_margins.h"
#include "session/find/shipped.h"
#include "session/find/suite.h"

using namespace kerlab;
using namespace kerlab::emu;
namespace fs = std::filesystem;

namespace {

/// `read` gets a file whose text is damaged in another way each time.
template <class Read>
void damage(const fs::path& original, const std::string& name, int rounds, const Read& read) {
  const TemporaryFolder folder;
  const std::string text = read_text(original);
  std::mt19937 random(static_cast<std::mt19937::result_type>(text.size()));
  for (int round = 0; round < rounds; ++round) {
    std::string damaged = text;
    if (round % 4 == 0) damaged.resize(random() % text.size());
    for (int i = 0; i < round % 5 && !damaged.empty(); ++i)
      damaged[random() % damaged.size()] = "\0\n\"'[]{}=,.9-#\xff"[random() % 15];
    const fs::path file = folder / name;
    fs::create_directories(file.parent_path());
    write_atomic(file, std::string_view(damaged));
    try {
      read(folder.path(), file);
    } catch (const Error& error) {
      CAPTURE(round, damaged.size());
      CHECK_THAT(error.what(), Catch::Contains(file.stem().string()));
    }
  }
}

fs::path first_file(const fs::path& folder, const std::string& extension) {
  std::vector<fs::path> found;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.path().extension() == extension) found.push_back(entry.path());
  std::ranges::sort(found);
  REQUIRE_FALSE(found.empty());
  return found.front();
}

}  // namespace

TEST_CASE("hostile text: suites and margins", "[session][fuzz]") {
  const fs::path configs = share_folder() / "configs";
  damage(configs / "gemm-smoke.toml", "damaged.toml", 100,
         [](const fs::path&, const fs::path& file) { (void)read_suite(file.string(), {}); });
  damage(configs / "regress.toml", "damaged.toml", 100,
         [](const fs::path&, const fs::path& file) { (void)read_margins(file.string()); });
}

TEST_CASE("hostile text: shipped winners are left out with a warning", "[session][fuzz]") {
  damage(first_file(shipped_folder(), ".toml"), "h200-132sm/damaged.toml", 60,
         [](const fs::path& folder, const fs::path&) {
           for (const std::string& warning : read_shipped(folder).warnings)
             CHECK_THAT(warning, Catch::Contains("damaged"));
         });
}

TEST_CASE("hostile text: recorded sweeps", "[session][fuzz]") {
  damage(first_file(sweeps_folder(), ".txt"), "damaged.txt", 60,
         [](const fs::path& folder, const fs::path&) { (void)read_sweeps(folder); });
}

TEST_CASE("hostile text: device profiles and scripts", "[session][fuzz]") {
  damage(profile_folder() / "h200.toml", "damaged.toml", 150, [](const fs::path& folder, const fs::path&) {
    (void)read_emulated_device(folder, "damaged");
    (void)find_profile(folder, "H200");
  });
  damage(first_file(share_folder() / "configs" / "scripts", ".toml"), "damaged.toml", 150,
         [](const fs::path&, const fs::path& file) { (void)read_script(file); });
}
