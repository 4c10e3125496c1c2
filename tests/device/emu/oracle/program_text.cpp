#include <fmt/format.h>

#include "device/emu/oracle/random_program.h"

namespace kerlab::oracle {
namespace {

std::string prologue(const Program& program) {
  const std::uint32_t threads = program.block_x * program.block_y;
  std::string text = fmt::format(
      "// seed {}: grid {}, block {} x {}\n.version 8.1\n.target sm_90\n.address_size 64\n"
      ".visible .entry {}(.param .u64 in, .param .u64 out, .param .u64 acc)\n{{\n"
      ".reg .b32 %r<{}>, %t<4>, %c<4>;\n.reg .b64 %l<{}>, %a<4>;\n.reg .b16 %h<{}>;\n.reg .pred %p<{}>, %q<4>;\n"
      ".reg .b32 %linear, %base, %sm, %trip, %threads, %mask, %other;\n.reg .b64 %in, %in16, %out, %acc, %gs;\n"
      ".shared .align 16 .b8 shared[{}];\n.local .align 16 .b8 lm[{}];\n",
      program.seed, program.grid, program.block_x, program.block_y, kEntry, kRegisters32, kRegisters64, kRegisters16,
      kPredicates, threads * kSharedPerThread, kSharedPerThread);
  text += fmt::format(
      "mov.u32 %t0, %tid.y;\nmov.u32 %t1, %tid.x;\nmad.lo.u32 %linear, %t0, {0}, %t1;\nmov.u32 %threads, {1};\n"
      "mov.u32 %base, shared;\nmad.lo.u32 %sm, %linear, {2}, %base;\nmov.u32 %t2, %ctaid.x;\n"
      "mad.lo.u32 %t3, %t2, {1}, %linear;\nld.param.u64 %in, [in];\nld.param.u64 %out, [out];\n"
      "ld.param.u64 %acc, [acc];\nmad.wide.u32 %in, %t3, {3}, %in;\nmad.wide.u32 %out, %t3, {4}, %out;\n"
      "add.u64 %in16, %in, 16;\nand.b64 %in16, %in16, -16;\nmov.u64 %a0, shared;\ncvta.shared.u64 %a0, %a0;\n"
      "mad.wide.u32 %gs, %linear, {2}, %a0;\nand.b32 %trip, %t3, 3;\nadd.s32 %trip, %trip, 1;\n",
      program.block_x, threads, kSharedPerThread, kInputWords * 8, kOutputBytes);
  for (int i = 0; i < 4; ++i) text += fmt::format("mov.b32 %c{}, 0;\n", i);
  int at = 0;
  for (int i = 0; i < kRegisters32; ++i) text += fmt::format("ld.global.b32 %r{}, [%in+{}];\n", i, 8 * at++);
  for (int i = 0; i < kRegisters64; ++i) text += fmt::format("ld.global.b64 %l{}, [%in+{}];\n", i, 8 * at++);
  for (int i = 0; i < kRegisters16; ++i) text += fmt::format("ld.global.b16 %h{}, [%in+{}];\n", i, 8 * at++);
  for (int i = 0; i < kPredicates; ++i)
    text += fmt::format("and.b32 %t0, %r{}, {};\nsetp.ne.u32 %p{}, %t0, 0;\n", i, 1 << (i * 3), i);
  for (int i = 0; i < kSharedPerThread; i += 8)
    text += fmt::format("st.shared.b64 [%sm+{0}], %l{1};\nst.local.b64 [lm+{0}], %l{1};\n", i, i / 8);
  return text + "bar.sync 0;\n";
}

std::string epilogue() {
  std::string text = "bar.warp.sync 0xffffffff;\n";
  int at = 0;
  for (int i = 0; i < kRegisters64; ++i, at += 8) text += fmt::format("st.global.b64 [%out+{}], %l{};\n", at, i);
  for (int i = 0; i < kRegisters32; ++i, at += 4) text += fmt::format("st.global.b32 [%out+{}], %r{};\n", at, i);
  for (int i = 0; i < kRegisters16; ++i, at += 2) text += fmt::format("st.global.b16 [%out+{}], %h{};\n", at, i);
  for (int i = 0; i < kPredicates; ++i, at += 1)
    text += fmt::format("selp.u32 %t0, 1, 0, %p{};\nst.global.u8 [%out+{}], %t0;\n", i, at);
  at = 320;
  for (int i = 0; i < kSharedPerThread; i += 8, at += 16)
    text += fmt::format(
        "ld.shared.b64 %a0, [%sm+{0}];\nst.global.b64 [%out+{1}], %a0;\nld.local.b64 %a0, [lm+{0}];\n"
        "st.global.b64 [%out+{2}], %a0;\n",
        i, at, at + 8);
  return text + "ret;\n}\n";
}

}  // namespace

std::string to_ptx(const Program& program, const std::vector<bool>& keep) {
  std::string text = prologue(program);
  const auto kept = [&](std::size_t i) { return keep.empty() || keep[i]; };
  // a target that was left out is the next item that is there
  std::vector<bool> labelled(program.items.size() + 1);
  const auto place = [&](int target) {
    auto at = static_cast<std::size_t>(target);
    while (at < program.items.size() && !kept(at)) ++at;
    return std::min(at, program.items.size());
  };
  for (std::size_t i = 0; i < program.items.size(); ++i)
    if (kept(i))
      for (const int target : program.items[i].targets) labelled[place(target)] = true;
  for (std::size_t i = 0; i <= program.items.size(); ++i) {
    if (labelled[i]) text += fmt::format("L{}:\n", i);
    if (i == program.items.size() || !kept(i)) continue;
    std::string item = program.items[i].text;
    for (std::size_t t = 0; t < program.items[i].targets.size(); ++t) {
      const std::string hole = fmt::format("${}", t);
      item.replace(item.find(hole), hole.size(), fmt::format("L{}", place(program.items[i].targets[t])));
    }
    text += item + "\n";
  }
  return text + epilogue();
}

}  // namespace kerlab::oracle
