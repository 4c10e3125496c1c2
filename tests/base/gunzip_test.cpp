#include "base/gunzip.h"

#include "base/error.h"
#include "catch.h"

using namespace kerlab;

namespace {

std::string bytes_of(std::string_view hex) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
    bytes += static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
  return bytes;
}

const std::string kStored = "1f8b0800000000000403010600f9ff6b65726c6162c6a682dd06000000";
const std::string kFixed = "1f8b08000000000002034b4c4a4ec4400071bbda2b15000000";
const std::string kDynamic =
    "1f8b08000000000002035d583b925c390ccb7d0a1f817f52c124ce7d0c070e36dbfbd7f2ed13db84b3eeea29411408109c1f"
    "3fbfe8fbbfbffff9f545df7efcfce2f7333f9fe5fd6ccf677d3f9fe7b3ddbf89e78bbf5fc49f2ff17ed1ff7fb9c7da59e786"
    "ad838bd7c94cb4cf165e87b3d93a9de3ace3f9c43a5fde7bc85c2a1682d4bebd8a2d040d5e08f6de650a305e0856bb0497b3"
    "103c6321c47b978b10ef6f172165d790ef9917a16cbffe79ef32efffde735e89a008a6b7c27927f6cd03dfb71986e57db80b"
    "c31abb927e71db408e7cc47ba90f212f930394b1cbe17a3b60808e0229f4deea0209635709ed8a44c91690186d66c4df5b0d"
    "f941bbbf24695724f59e3c4087373d7a6f758194753759b7ceae4835b644d46a73a4f7ada6d15276a769d9ae484f6cb51801"
    "477619bc40a6bedbcdac764516b24563190ca2a42d7727e839e7da15b9ca568e5b6e8e3c40fb9eb9bbce8f80fe09e4d377dc"
    "1c85810984078382a0a2a8020d916f8e129d20f5ecae4b8f5d51a66d1de5018e8ac10e4a8a41ade869615b4755ba393a049e"
    "d038bbeb8ed1aee8046d1d9da2cd515f0a9ca1bd80d01b8cd01c02b4d466c1600f4ce80f2c0a06d196000ec11160115c051e"
    "218c26212ae012e206362119e0137280325601a76035df6dd81245f7d3235b5a6c1c9bb72e07ec829b479847568516c8b2f5"
    "c5aee0e83c3a183cafdc0dd9e802f58582c89ee704fee280717032cc284ec3faf2d63f78791cf82b748fc796776b72ddf71f"
    "bc433875cf5ffc9d000be173f91ffb25065b14bafd33064ca960f5d37fe3f5acd09f2d15daf5c973c18d27827e3fe360f0e4"
    "ea67f094c960b6a0fa449321591861b630c5416681f5f5f31a04a4eb1bf1c926602be2d77506afbd11ea0b87092d4df7e64f"
    "c6f1062fdd777f4aa25f4af7c3d69fd4755bf9a425f0173902fd29c70bea3bd7e9ff8c5018044a01fea27472f767cf58c852"
    "cd3ee84fe5ce28ff0c61f017159c70aa0cf5a9def9f899da05e9500dfda5ede5ecfe54bbb379f05c71747b027f9d28c15f3a"
    "2440de6dbb02ffec6060078242284492fa2b93744c84505237d10cde1182587202e683cdfc98bc40374d7d327041d83216d0"
    "df63a7184e08d3490b04e28914d4672a010145314576ea067f31bb1974f0ecd8aecf5c61a69b27f0d77908fcc522201e5b12"
    "f8a7a5cbd69fe5cddefad903c05f9e71b1fbd38e14d47730f33b31cc071f7d7c3218e5ee4f67c714d686bbf5d7b7b5cd5fff"
    "35f88babc2fc732da8cfedee47fa4979102fddd15fda5dceeecf760fd8cbbce7d9d69f27037fbd2b81bf7811e4666f79427d"
    "6df75b7f7e1cd6cc3e0dfc25c8a13f1f39eefa821d16821082f910333f266eeafd7df0d4219e3dd975eb2fece20f9ee3a613"
    "ee30ff22b0bea73db7fe22097267ccfb0d5eddf71dbc0a58e1e230ccf7660ff84b12f097a4c440cd02fe997cfb6722b528ec"
    "a629985f52b13f3b91d7ae2fcd61534827980f39f96af08261dbce48c86799a8bfccabcf3f3b37f84bd681f9d7f109ea2b22"
    "f8ff415140fe2c467f29befef3591b1476bb9203f3bdd481bf32fc8f48ef1990afcbd13fcbafbfd2671181a5b512f34bc73d"
    "e8cfaaebef835705fb439d673efc0765103f7d2e120000";
}  // namespace

TEST_CASE("gunzip: what gzip packed, by bytes, by fixed and by its own codes", "[base]") {
  CHECK(gunzip(bytes_of(kStored), 100) == "kerlab");
  CHECK(gunzip(bytes_of(kFixed), 100) == "abcabcabcabcabcabcabc");
  std::string lines;
  for (int i = 0; i < 300; ++i) lines += "BM=" + std::to_string(i % 7) + " time=" + std::to_string(i * i) + "\n";
  CHECK(gunzip(bytes_of(kDynamic), 1 << 20) == lines);
  CHECK(gunzip(bytes_of(kStored) + bytes_of(kFixed), 100) == "kerlababcabcabcabcabcabcabc");
  CHECK(is_gzip(bytes_of(kFixed)));
  CHECK_FALSE(is_gzip("{\"cache\""));
}

TEST_CASE("gunzip: what is cut, changed or too large is an error, wherever", "[base]") {
  const std::string whole = bytes_of(kDynamic);
  for (std::size_t length = 0; length < whole.size(); ++length)
    CHECK_THROWS_WITH(gunzip(whole.substr(0, length), 1 << 20), "the compressed data are damaged");
  for (std::size_t i = 10; i < whole.size(); ++i) {
    std::string changed = whole;
    changed[i] = static_cast<char>(changed[i] ^ 0x11);
    CHECK_THROWS_AS(gunzip(changed, 1 << 20), Error);
  }
  CHECK_THROWS_WITH(gunzip(bytes_of(kFixed), 20), "unpacked it is more than 0 MiB");
}
