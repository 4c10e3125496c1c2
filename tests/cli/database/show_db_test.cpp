// `kerlab show` and `kerlab db` as a user runs them, on a database that `kerlab tune` wrote with a scripted device.

#include "base/child.h"
#include "base/file.h"
#include "catch.h"
#include "db/database.h"
#include "db/fixture.h"
#include "locations.h"
#include "report/form/json.h"

using namespace kerlab;
using Catch::Contains;

namespace {

/// A folder with a database of its own; commands see no other.
class Lab {
 public:
  ProcessResult kerlab(std::vector<std::string> words) const {
    words.insert(words.begin(), kerlab_program().string());
    words.insert(words.end(), {"--db", database().string()});
    return run_process(
        words, std::chrono::seconds(120),
        {"KERLAB_CACHE=" + (folder_ / "cache").string(), "CUDA_HOME=" + (folder_ / "no-toolkit").string()});
  }
  ProcessResult tune() const {
    const auto script = share_folder() / "configs" / "scripts" / "healthy.toml";
    return kerlab({"tune", "gemm", "--M", "512", "--dtype", "fp32", "--variant", "naive", "--trials", "2", "--device",
                   "script:" + script.string()});
  }
  std::filesystem::path database() const { return folder_ / "lab.db"; }
  std::filesystem::path operator/(const char* name) const { return folder_ / name; }

 private:
  db_test::TemporaryFolder folder_;
};

std::int64_t integer(const JsonValue& object, std::string_view key) {
  const JsonValue* value = object.find(key);
  REQUIRE(value != nullptr);
  return std::get<std::int64_t>(value->variant());
}

}  // namespace

TEST_CASE("show and db: what a tune found can be listed, shown, saved and exported", "[cli]") {
  const Lab lab;
  const ProcessResult tuned = lab.tune();
  INFO(tuned.err);
  REQUIRE(tuned.exit_code == 0);
  const auto winner = Database::open(lab.database()).winners().at(0);
  const std::string id = std::to_string(winner.trial);

  SECTION("the winner is found by its family and what was typed, and is the trial of that id") {
    const ProcessResult shown = lab.kerlab({"show", "winner", "gemm", "--M", "512"});
    CHECK(shown.exit_code == 0);
    CHECK_THAT(shown.out, Contains("trial " + id + ": naive") && Contains("the winner of its problem"));
    CHECK_THAT(shown.out, Contains("limited by") && Contains("normal v1 seed 1") && Contains("% of roof"));
    CHECK(lab.kerlab({"show", id}).out == shown.out);
    const ProcessResult other = lab.kerlab({"show", "winner", "gemm", "--M", "4K"});
    CHECK(other.exit_code == 64);
    CHECK_THAT(other.err, Contains("M=4096") && Contains("M=512"));
  }

  SECTION("an unknown id names the database and how to list") {
    const ProcessResult unknown = lab.kerlab({"show", "4711"});
    CHECK(unknown.exit_code == 64);
    CHECK_THAT(unknown.err, Contains("4711") && Contains(lab.database().string()) && Contains("kerlab db trials"));
    CHECK(lab.kerlab({"show", "gemm"}).exit_code == 64);
    CHECK(lab.kerlab({"show", id, "gemm"}).exit_code == 64);
  }

  SECTION("--save writes the source with its includes and what it compiles to") {
    const auto folder = lab / "saved";
    const ProcessResult saved = lab.kerlab({"show", id, "--save", folder.string()});
    INFO(saved.err);
    CHECK(saved.exit_code == 0);
    CHECK(read_text(folder / "naive.cu") == read_text(share_folder() / "kernels/gemm/ladder/naive.cu"));
    CHECK(std::filesystem::exists(folder / "common" / "types.cuh"));
    CHECK_THAT(read_text(folder / "naive.log"), Contains("-DDTYPE_FP32=1") && Contains("registers"));
    const std::string cubin = read_text(folder / "naive.cubin");
    CHECK(cubin.substr(1, 3) == "ELF");
    CHECK_THAT(read_text(folder / "naive.ptx"), Contains(".visible .entry"));
    const bool left_out = saved.out.find("SASS is left out") != std::string::npos;
    CHECK(std::filesystem::exists(folder / "naive.sass") != left_out);
  }

  SECTION("db trials lists ids, and only the status asked for") {
    const ProcessResult listed = lab.kerlab({"db", "trials", "gemm"});
    CHECK_THAT(listed.out, Contains("gemm M=512") && Contains(id + "  passed, winner"));
    CHECK_THAT(lab.kerlab({"db", "trials", "--status", "wrong"}).out, Contains("no such trial"));
    const ProcessResult misspelt = lab.kerlab({"db", "trials", "--status", "wrongg"});
    CHECK(misspelt.exit_code == 64);
    CHECK_THAT(misspelt.err, Contains("wrongg"));
  }

  SECTION("--json is one document with the same facts") {
    const auto shown = parse_json(lab.kerlab({"show", id, "--json"}).out);
    REQUIRE(shown);
    CHECK(integer(*shown->find("trial"), "id") == winner.trial);
    CHECK(shown->find("winner")->text() == "true");
    const auto winners = parse_json(lab.kerlab({"db", "winners", "--json"}).out);
    REQUIRE(winners);
    REQUIRE(winners->find("winners")->elements().size() == 1);
    CHECK(integer(*winners->find("winners")->elements().at(0).find("trial"), "id") == winner.trial);
    const auto stats = parse_json(lab.kerlab({"db", "stats", "--json"}).out);
    REQUIRE(stats);
    CHECK(integer(*stats, "decisions") == 1);
  }

  SECTION("an export goes into another database once") {
    const auto file = lab / "export.txt";
    CHECK(lab.kerlab({"db", "export", file.string()}).exit_code == 0);
    CHECK(lab.kerlab({"db", "export"}).out == read_text(file));
    const Lab other;
    CHECK_THAT(other.kerlab({"db", "import", file.string(), "--dry-run"}).out, Contains("nothing was imported"));
    CHECK_FALSE(std::filesystem::exists(other.database()));
    CHECK(other.kerlab({"db", "import", file.string()}).exit_code == 0);
    CHECK_THAT(other.kerlab({"db", "import", file.string()}).out, Contains("0 new rows"));
    CHECK_THAT(other.kerlab({"db", "winners"}).out, Contains("gemm M=512"));
  }
}

TEST_CASE("show and db: a database that is not there is not made", "[cli]") {
  const Lab lab;
  for (const std::vector<std::string>& words : {std::vector<std::string>{"show", "1"},
                                                {"db", "stats"},
                                                {"db", "trials"},
                                                {"db", "winners"},
                                                {"db", "export"}}) {
    const ProcessResult result = lab.kerlab(words);
    CHECK(result.exit_code == 64);
    CHECK_THAT(result.err, Contains(lab.database().string()) && Contains("kerlab tune"));
  }
  CHECK_FALSE(std::filesystem::exists(lab.database()));
  CHECK(lab.kerlab({"db", "path"}).out == lab.database().string() + "\n");
}
