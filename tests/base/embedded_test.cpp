#include "base/embedded.h"

#include "base/file.h"
#include "catch.h"

using namespace kerlab;

TEST_CASE("embedded: the schema is byte for byte that of tuning_db/schema, in order", "[base]") {
  REQUIRE_FALSE(kSchemaFiles.empty());
  CHECK(kSchemaFiles.front().name == "001_init.sql");
  std::string_view last;
  for (const EmbeddedFile& file : kSchemaFiles) {
    CHECK(last < file.name);
    last = file.name;
    const auto path = share_folder() / "tuning_db" / "schema" / file.name;
    if (std::filesystem::exists(path)) CHECK(file.text == read_text(path));  // an install tree carries no schema files
  }
}
