# Run by kerlab_embed at build time: writes OUTPUT, which defines SYMBOL from FILES (joined by '|').
string(REPLACE "|" ";" files "${FILES}")
set(rows "")
foreach(file IN LISTS files)
  get_filename_component(name ${file} NAME)
  # Byte by byte: no text can end the literal early, and no compiler limits the length of an array.
  file(READ ${file} hex HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${hex}")
  string(MAKE_C_IDENTIFIER ${name} id)
  string(APPEND arrays "constexpr char k_${id}[] = {${bytes}'\\0'};\n")
  string(APPEND rows "    {\"${name}\", {k_${id}, sizeof k_${id} - 1}},\n")
endforeach()
file(WRITE ${OUTPUT} "#include \"base/embedded.h\"

namespace kerlab {
namespace {
${arrays}
constexpr EmbeddedFile kFiles[] = {
${rows}};
}  // namespace

const std::span<const EmbeddedFile> ${SYMBOL} = kFiles;

}  // namespace kerlab
")
