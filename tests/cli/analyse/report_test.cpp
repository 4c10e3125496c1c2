// `kerlab report` as a user runs it, on what `kerlab tune` wrote with a scripted device.

#include "base/file.h"
#include "catch.h"
#include "cli/sandbox.h"
#include "report/form/json.h"
#include "report/markup.h"

using namespace kerlab;
using Catch::Contains;

TEST_CASE("report: a page, Markdown and drawings of what a tune stored", "[cli]") {
  const Sandbox sandbox;
  REQUIRE(sandbox.run_scripted({"tune", sandbox.family()}).exit_code == 0);
  const std::string page = sandbox / "report.html", markdown = sandbox / "report.md", plots = sandbox / "plots";

  const ProcessResult wrote =
      sandbox.run({"report", "--kernels", sandbox / ".", "-o", page, "--markdown", markdown, "--svg", plots});
  INFO(wrote.err);
  CHECK(wrote.exit_code == 0);
  CHECK_THAT(wrote.out, Contains("wrote " + page) && Contains(markdown) && Contains("progress.svg"));
  const std::string html = read_text(page);
  CHECK(markup_fault(html, true) == "");
  CHECK_THAT(html, Contains("badge scripted") && Contains("kerlab tune"));
  CHECK_THAT(read_text(markdown), Contains("## kerlab report") && Contains("scripted"));
  for (const auto& file : std::filesystem::directory_iterator(plots))
    CHECK(markup_fault(read_text(file.path()), false) == "");

  SECTION("every link of the contents leads to a section") {
    const std::size_t begin = html.find("<nav"), end = html.find("</nav>");
    REQUIRE(begin < end);
    int links = 0;
    for (std::size_t at = html.find("href=\"#", begin); at < end; at = html.find("href=\"#", at + 1), ++links) {
      const std::string name = html.substr(at + 7, html.find('"', at + 7) - at - 7);
      INFO(name);
      CHECK(html.find(" id=\"" + name + "\"") != std::string::npos);
    }
    CHECK(links >= 4);
  }
  SECTION("a family by its folder has its roof and its ladder") {
    const ProcessResult named = sandbox.run({"report", sandbox.family(), "-o", page});
    CHECK(named.exit_code == 0);
    CHECK_THAT(named.err, !Contains("no roof and no ladder"));
  }
  SECTION("to standard output") {
    CHECK(sandbox.run({"report", "-o", "-"}).out.starts_with("<!DOCTYPE html>"));
    CHECK_THAT(sandbox.run({"report", "--markdown", "-"}).out, Contains("## kerlab report"));
  }
  SECTION("--json says what was written, --dry-run writes nothing") {
    const std::string other = sandbox / "other.html";
    const ProcessResult told = sandbox.run({"report", "-o", other, "--json", "--dry-run"});
    CHECK(told.exit_code == 0);
    CHECK(!std::filesystem::exists(other));
    const auto document = parse_json(told.out);
    REQUIRE(document.has_value());
    CHECK(document->find("command")->text() == "report");
    CHECK(document->find("written")->elements().at(0).find("file")->text() == other);
    CHECK(document->find("problems")->elements().at(0).find("clock")->text() == "scripted");
  }
  SECTION("beside another database, or a session") {
    const std::string old = sandbox / "old.db";
    std::filesystem::copy_file(sandbox.database(), old);
    const ProcessResult compared = sandbox.run({"report", "-o", page, "--compare", old});
    INFO(compared.err);
    CHECK(compared.exit_code == 0);
    CHECK_THAT(read_text(page),
               Contains("Compared: old.db, this report") && Contains("1.000×") && Contains(">nothing<"));
    const ProcessResult unknown = sandbox.run({"report", "-o", page, "--compare", sandbox / "none.db"});
    CHECK(unknown.exit_code == 64);
    CHECK_THAT(unknown.err, Contains("no such file") && Contains("3,5"));
    const ProcessResult session = sandbox.run({"report", "-o", page, "--compare", "999"});
    CHECK(session.exit_code == 64);
    CHECK_THAT(session.err, Contains("session 999 decided none of these problems"));
  }
  SECTION("source lines are counted when asked for, and say why where they cannot be") {
    const ProcessResult counted = sandbox.run({"report", sandbox.family(), "-o", page, "--lines", "1"});
    INFO(counted.err);
    CHECK(counted.exit_code == 0);
    CHECK_THAT(counted.err, Contains("source lines: 1 of 1"));
    const auto data = read_text(page);
    const std::size_t begin = data.find("\"sources\":{\"");
    REQUIRE(begin != std::string::npos);
    CHECK_THAT(data.substr(begin, 400), Contains(".cu:") || Contains("not counted: "));
  }
  SECTION("what is not stored is refused, with what is") {
    const ProcessResult none = sandbox.run({"report", "nosuch", "-o", page});
    CHECK(none.exit_code == 64);
    CHECK_THAT(none.err, Contains("nothing to report") && Contains("there are:"));
    CHECK_THAT(sandbox.run({"report", "twic", "-o", page}).err, Contains("did you mean twice?"));
    CHECK(sandbox.run({"report", "--device-class", "nosuch", "-o", page}).exit_code == 64);
  }
  SECTION("a file that cannot be written is an error") {
    const ProcessResult failed = sandbox.run({"report", "-o", sandbox / "nowhere" / "report.html"});
    CHECK(failed.exit_code == 1);
    CHECK_THAT(failed.err, Contains("nowhere"));
    const ProcessResult folder = sandbox.run({"report", "--svg", page});
    CHECK(folder.exit_code == 1);
    CHECK_THAT(folder.err, Contains("--svg") && Contains(page));
  }
}

TEST_CASE("report: what was typed is judged first", "[cli]") {
  const Sandbox sandbox;
  const auto refused = [&](const Sandbox::Words& words, const std::string& why) {
    const ProcessResult result = sandbox.run(words);
    INFO(result.err);
    CHECK(result.exit_code == 64);
    CHECK_THAT(result.err, Contains(why));
    CHECK(result.out.empty());
  };
  refused({"report"}, "name what to write");
  refused({"report", "--svg", "-"}, "name a folder");
  refused({"report", "-o", "-", "--markdown", "-"}, "one of them");
  refused({"report", "-o", "-", "--json"}, "one JSON document");
  refused({"report", "--M", "512", "-o", "x.html"}, "of which family?");
  refused({"report", "-o", "x.html"}, "there is no such file");
  CHECK(!std::filesystem::exists(sandbox.database()));
}
