#pragma once
// A small family, a scripted device and a database in a folder of their own: whole sessions without a GPU.

#include <map>

#include "base/scoped_variable.h"
#include "base/temporary_folder.h"
#include "modules.h"
#include "session/tune/tune.h"

namespace kerlab::testing {

/// Family `scale` (y = a x), variant `simple` with A = 1..4 and B = 1..3 (twelve different programs). Configurations
/// are called "simple A=1 B=2".
class SessionFixture {
 public:
  /// `rules`: of the script, e.g. fast("A=2 B=3").
  explicit SessionFixture(const std::string& rules = "", const std::string& defaults = "us = 100.0\nspread = 0.5\n");

  void write_script(const std::string& rules, const std::string& defaults = "us = 100.0\nspread = 0.5\n");
  [[nodiscard]] TuneOptions options() const;
  [[nodiscard]] std::string device() const;
  [[nodiscard]] std::filesystem::path family() const { return folder_ / "scale"; }
  [[nodiscard]] std::filesystem::path folder() const { return folder_.path(); }
  Database& database() { return database_; }

  /// A whole session.
  TuneResult tune() { return tune(options()); }
  TuneResult tune(const TuneOptions& options);
  /// Stored trials by configuration ("A=1 B=2").
  [[nodiscard]] std::map<std::string, Trial> trials(const TuneResult& result) const;

 private:
  TemporaryFolder folder_;
  ScopedVariable cache_;
  Database database_;
};

/// A family of one variant: the texts of its files.
struct FamilyTexts {
  std::string_view family, reference;  ///< no reference: empty
  std::string_view variant, kernel;    ///< variant: the .toml beside the kernel
};
/// Makes the folder, where there is none.
void write_family(const std::filesystem::path& folder, const std::string& variant, const FamilyTexts& texts);

/// A rule of a script for one configuration of `simple`.
std::string rule(const std::string& configuration, const std::string& body);
/// 80 us where the others take 100 to 150.
std::string fast(const std::string& configuration);
std::string outcome(const std::string& configuration, const std::string& name, const std::string& more = "");

}  // namespace kerlab::testing
