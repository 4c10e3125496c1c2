#pragma once
// The text of one wgmma, by its N: what it names its registers, how they are handed over, and the numbers of the
// operands after them. Macros, since the text of an asm must be a literal; nothing of this is parsed as C++ before
// wgmma_instruction.cuh, its one includer, uses a line of each table. PTX ISA, "Asynchronous
// Multiply-and-Accumulate Instruction: wgmma.mma_async", "Matrix Fragments for wgmma.mma_async.m64nNk16": N / 2 registers
// of 32 bits. Nobody calls anything here, nothing is fenced. A line adds four registers, eight columns, to the line before.
#define KERLAB_NAMES_8 "%0,%1,%2,%3"
#define KERLAB_NAMES_16 KERLAB_NAMES_8 ",%4,%5,%6,%7"
#define KERLAB_NAMES_24 KERLAB_NAMES_16 ",%8,%9,%10,%11"
#define KERLAB_NAMES_32 KERLAB_NAMES_24 ",%12,%13,%14,%15"
#define KERLAB_NAMES_40 KERLAB_NAMES_32 ",%16,%17,%18,%19"
#define KERLAB_NAMES_48 KERLAB_NAMES_40 ",%20,%21,%22,%23"
#define KERLAB_NAMES_56 KERLAB_NAMES_48 ",%24,%25,%26,%27"
#define KERLAB_NAMES_64 KERLAB_NAMES_56 ",%28,%29,%30,%31"
#define KERLAB_NAMES_72 KERLAB_NAMES_64 ",%32,%33,%34,%35"
#define KERLAB_NAMES_80 KERLAB_NAMES_72 ",%36,%37,%38,%39"
#define KERLAB_NAMES_88 KERLAB_NAMES_80 ",%40,%41,%42,%43"
#define KERLAB_NAMES_96 KERLAB_NAMES_88 ",%44,%45,%46,%47"
#define KERLAB_NAMES_104 KERLAB_NAMES_96 ",%48,%49,%50,%51"
#define KERLAB_NAMES_112 KERLAB_NAMES_104 ",%52,%53,%54,%55"
#define KERLAB_NAMES_120 KERLAB_NAMES_112 ",%56,%57,%58,%59"
#define KERLAB_NAMES_128 KERLAB_NAMES_120 ",%60,%61,%62,%63"
#define KERLAB_NAMES_136 KERLAB_NAMES_128 ",%64,%65,%66,%67"
#define KERLAB_NAMES_144 KERLAB_NAMES_136 ",%68,%69,%70,%71"
#define KERLAB_NAMES_152 KERLAB_NAMES_144 ",%72,%73,%74,%75"
#define KERLAB_NAMES_160 KERLAB_NAMES_152 ",%76,%77,%78,%79"
#define KERLAB_NAMES_168 KERLAB_NAMES_160 ",%80,%81,%82,%83"
#define KERLAB_NAMES_176 KERLAB_NAMES_168 ",%84,%85,%86,%87"
#define KERLAB_NAMES_184 KERLAB_NAMES_176 ",%88,%89,%90,%91"
#define KERLAB_NAMES_192 KERLAB_NAMES_184 ",%92,%93,%94,%95"
#define KERLAB_NAMES_200 KERLAB_NAMES_192 ",%96,%97,%98,%99"
#define KERLAB_NAMES_208 KERLAB_NAMES_200 ",%100,%101,%102,%103"
#define KERLAB_NAMES_216 KERLAB_NAMES_208 ",%104,%105,%106,%107"
#define KERLAB_NAMES_224 KERLAB_NAMES_216 ",%108,%109,%110,%111"
#define KERLAB_NAMES_232 KERLAB_NAMES_224 ",%112,%113,%114,%115"
#define KERLAB_NAMES_240 KERLAB_NAMES_232 ",%116,%117,%118,%119"
#define KERLAB_NAMES_248 KERLAB_NAMES_240 ",%120,%121,%122,%123"
#define KERLAB_NAMES_256 KERLAB_NAMES_248 ",%124,%125,%126,%127"

#define KERLAB_FOUR(c, i) "+" c(d[i]), "+" c(d[i + 1]), "+" c(d[i + 2]), "+" c(d[i + 3])
#define KERLAB_OUTPUTS_8(c) KERLAB_FOUR(c, 0)
#define KERLAB_OUTPUTS_16(c) KERLAB_OUTPUTS_8(c), KERLAB_FOUR(c, 4)
#define KERLAB_OUTPUTS_24(c) KERLAB_OUTPUTS_16(c), KERLAB_FOUR(c, 8)
#define KERLAB_OUTPUTS_32(c) KERLAB_OUTPUTS_24(c), KERLAB_FOUR(c, 12)
#define KERLAB_OUTPUTS_40(c) KERLAB_OUTPUTS_32(c), KERLAB_FOUR(c, 16)
#define KERLAB_OUTPUTS_48(c) KERLAB_OUTPUTS_40(c), KERLAB_FOUR(c, 20)
#define KERLAB_OUTPUTS_56(c) KERLAB_OUTPUTS_48(c), KERLAB_FOUR(c, 24)
#define KERLAB_OUTPUTS_64(c) KERLAB_OUTPUTS_56(c), KERLAB_FOUR(c, 28)
#define KERLAB_OUTPUTS_72(c) KERLAB_OUTPUTS_64(c), KERLAB_FOUR(c, 32)
#define KERLAB_OUTPUTS_80(c) KERLAB_OUTPUTS_72(c), KERLAB_FOUR(c, 36)
#define KERLAB_OUTPUTS_88(c) KERLAB_OUTPUTS_80(c), KERLAB_FOUR(c, 40)
#define KERLAB_OUTPUTS_96(c) KERLAB_OUTPUTS_88(c), KERLAB_FOUR(c, 44)
#define KERLAB_OUTPUTS_104(c) KERLAB_OUTPUTS_96(c), KERLAB_FOUR(c, 48)
#define KERLAB_OUTPUTS_112(c) KERLAB_OUTPUTS_104(c), KERLAB_FOUR(c, 52)
#define KERLAB_OUTPUTS_120(c) KERLAB_OUTPUTS_112(c), KERLAB_FOUR(c, 56)
#define KERLAB_OUTPUTS_128(c) KERLAB_OUTPUTS_120(c), KERLAB_FOUR(c, 60)
#define KERLAB_OUTPUTS_136(c) KERLAB_OUTPUTS_128(c), KERLAB_FOUR(c, 64)
#define KERLAB_OUTPUTS_144(c) KERLAB_OUTPUTS_136(c), KERLAB_FOUR(c, 68)
#define KERLAB_OUTPUTS_152(c) KERLAB_OUTPUTS_144(c), KERLAB_FOUR(c, 72)
#define KERLAB_OUTPUTS_160(c) KERLAB_OUTPUTS_152(c), KERLAB_FOUR(c, 76)
#define KERLAB_OUTPUTS_168(c) KERLAB_OUTPUTS_160(c), KERLAB_FOUR(c, 80)
#define KERLAB_OUTPUTS_176(c) KERLAB_OUTPUTS_168(c), KERLAB_FOUR(c, 84)
#define KERLAB_OUTPUTS_184(c) KERLAB_OUTPUTS_176(c), KERLAB_FOUR(c, 88)
#define KERLAB_OUTPUTS_192(c) KERLAB_OUTPUTS_184(c), KERLAB_FOUR(c, 92)
#define KERLAB_OUTPUTS_200(c) KERLAB_OUTPUTS_192(c), KERLAB_FOUR(c, 96)
#define KERLAB_OUTPUTS_208(c) KERLAB_OUTPUTS_200(c), KERLAB_FOUR(c, 100)
#define KERLAB_OUTPUTS_216(c) KERLAB_OUTPUTS_208(c), KERLAB_FOUR(c, 104)
#define KERLAB_OUTPUTS_224(c) KERLAB_OUTPUTS_216(c), KERLAB_FOUR(c, 108)
#define KERLAB_OUTPUTS_232(c) KERLAB_OUTPUTS_224(c), KERLAB_FOUR(c, 112)
#define KERLAB_OUTPUTS_240(c) KERLAB_OUTPUTS_232(c), KERLAB_FOUR(c, 116)
#define KERLAB_OUTPUTS_248(c) KERLAB_OUTPUTS_240(c), KERLAB_FOUR(c, 120)
#define KERLAB_OUTPUTS_256(c) KERLAB_OUTPUTS_248(c), KERLAB_FOUR(c, 124)

// The inputs behind them: up to eight.
#define KERLAB_INPUTS_8(use, kind) use(kind, "%4", "%5", "%6", "%7", "%8", "%9", "%10", "%11")
#define KERLAB_INPUTS_16(use, kind) use(kind, "%8", "%9", "%10", "%11", "%12", "%13", "%14", "%15")
#define KERLAB_INPUTS_24(use, kind) use(kind, "%12", "%13", "%14", "%15", "%16", "%17", "%18", "%19")
#define KERLAB_INPUTS_32(use, kind) use(kind, "%16", "%17", "%18", "%19", "%20", "%21", "%22", "%23")
#define KERLAB_INPUTS_40(use, kind) use(kind, "%20", "%21", "%22", "%23", "%24", "%25", "%26", "%27")
#define KERLAB_INPUTS_48(use, kind) use(kind, "%24", "%25", "%26", "%27", "%28", "%29", "%30", "%31")
#define KERLAB_INPUTS_56(use, kind) use(kind, "%28", "%29", "%30", "%31", "%32", "%33", "%34", "%35")
#define KERLAB_INPUTS_64(use, kind) use(kind, "%32", "%33", "%34", "%35", "%36", "%37", "%38", "%39")
#define KERLAB_INPUTS_72(use, kind) use(kind, "%36", "%37", "%38", "%39", "%40", "%41", "%42", "%43")
#define KERLAB_INPUTS_80(use, kind) use(kind, "%40", "%41", "%42", "%43", "%44", "%45", "%46", "%47")
#define KERLAB_INPUTS_88(use, kind) use(kind, "%44", "%45", "%46", "%47", "%48", "%49", "%50", "%51")
#define KERLAB_INPUTS_96(use, kind) use(kind, "%48", "%49", "%50", "%51", "%52", "%53", "%54", "%55")
#define KERLAB_INPUTS_104(use, kind) use(kind, "%52", "%53", "%54", "%55", "%56", "%57", "%58", "%59")
#define KERLAB_INPUTS_112(use, kind) use(kind, "%56", "%57", "%58", "%59", "%60", "%61", "%62", "%63")
#define KERLAB_INPUTS_120(use, kind) use(kind, "%60", "%61", "%62", "%63", "%64", "%65", "%66", "%67")
#define KERLAB_INPUTS_128(use, kind) use(kind, "%64", "%65", "%66", "%67", "%68", "%69", "%70", "%71")
#define KERLAB_INPUTS_136(use, kind) use(kind, "%68", "%69", "%70", "%71", "%72", "%73", "%74", "%75")
#define KERLAB_INPUTS_144(use, kind) use(kind, "%72", "%73", "%74", "%75", "%76", "%77", "%78", "%79")
#define KERLAB_INPUTS_152(use, kind) use(kind, "%76", "%77", "%78", "%79", "%80", "%81", "%82", "%83")
#define KERLAB_INPUTS_160(use, kind) use(kind, "%80", "%81", "%82", "%83", "%84", "%85", "%86", "%87")
#define KERLAB_INPUTS_168(use, kind) use(kind, "%84", "%85", "%86", "%87", "%88", "%89", "%90", "%91")
#define KERLAB_INPUTS_176(use, kind) use(kind, "%88", "%89", "%90", "%91", "%92", "%93", "%94", "%95")
#define KERLAB_INPUTS_184(use, kind) use(kind, "%92", "%93", "%94", "%95", "%96", "%97", "%98", "%99")
#define KERLAB_INPUTS_192(use, kind) use(kind, "%96", "%97", "%98", "%99", "%100", "%101", "%102", "%103")
#define KERLAB_INPUTS_200(use, kind) use(kind, "%100", "%101", "%102", "%103", "%104", "%105", "%106", "%107")
#define KERLAB_INPUTS_208(use, kind) use(kind, "%104", "%105", "%106", "%107", "%108", "%109", "%110", "%111")
#define KERLAB_INPUTS_216(use, kind) use(kind, "%108", "%109", "%110", "%111", "%112", "%113", "%114", "%115")
#define KERLAB_INPUTS_224(use, kind) use(kind, "%112", "%113", "%114", "%115", "%116", "%117", "%118", "%119")
#define KERLAB_INPUTS_232(use, kind) use(kind, "%116", "%117", "%118", "%119", "%120", "%121", "%122", "%123")
#define KERLAB_INPUTS_240(use, kind) use(kind, "%120", "%121", "%122", "%123", "%124", "%125", "%126", "%127")
#define KERLAB_INPUTS_248(use, kind) use(kind, "%124", "%125", "%126", "%127", "%128", "%129", "%130", "%131")
#define KERLAB_INPUTS_256(use, kind) use(kind, "%128", "%129", "%130", "%131", "%132", "%133", "%134", "%135")

#define KERLAB_NAMES_AT(n) KERLAB_NAMES_##n
#define KERLAB_NAMES(n) KERLAB_NAMES_AT(n)
#define KERLAB_OUTPUTS_AT(n, c) KERLAB_OUTPUTS_##n(c)
#define KERLAB_OUTPUTS(n, c) KERLAB_OUTPUTS_AT(n, c)
#define KERLAB_INPUTS_AT(n, use, kind) KERLAB_INPUTS_##n(use, kind)
#define KERLAB_INPUTS(n, use, kind) KERLAB_INPUTS_AT(n, use, kind)
#define KERLAB_TEXT_AT(n) #n
#define KERLAB_TEXT(n) KERLAB_TEXT_AT(n)

// The instruction behind a predicate that says whether D is added to. i0, i1 ... are inputs.
#define KERLAB_WGMMA_TEXT(kind, accumulate, operands, immediates)                   \
  "{\n\t.reg .pred added;\n\tsetp.ne.b32 added, " accumulate                        \
  ", 0;\n\twgmma.mma_async.sync.aligned.m64n" KERLAB_TEXT(WGMMA_INSTRUCTION_N) kind \
      " {" KERLAB_NAMES(WGMMA_INSTRUCTION_N) "}, " operands ", added" immediates ";\n\t}"

// A and B by descriptor. Of 16-bit floats with the major order of both, of other floats without, of integers.
#define KERLAB_SHARED_16(kind, i0, i1, i2, i3, i4, i5, i6, i7) \
  KERLAB_WGMMA_TEXT(kind, i2, i0 ", " i1, ", 1, 1, " i3 ", " i4)
#define KERLAB_SHARED_FLOAT(kind, i0, i1, i2, i3, i4, i5, i6, i7) KERLAB_WGMMA_TEXT(kind, i2, i0 ", " i1, ", 1, 1")
#define KERLAB_SHARED_INT(kind, i0, i1, i2, i3, i4, i5, i6, i7) KERLAB_WGMMA_TEXT(kind, i2, i0 ", " i1, "")
#define KERLAB_WGMMA_SHARED(form, kind, c)                                                      \
  asm volatile(KERLAB_INPUTS(WGMMA_INSTRUCTION_N, form, kind)                                   \
               : KERLAB_OUTPUTS(WGMMA_INSTRUCTION_N, c)                                         \
               : "l"(a), "l"(b), "r"(static_cast<int>(accumulate)), "n"(static_cast<int>(MnA)), \
                 "n"(static_cast<int>(MnB)))

// A from registers.
#define KERLAB_REGISTERS_OF_A(i0, i1, i2, i3, i4) "{" i0 ", " i1 ", " i2 ", " i3 "}, " i4
#define KERLAB_REGISTERS_16(kind, i0, i1, i2, i3, i4, i5, i6, i7) \
  KERLAB_WGMMA_TEXT(kind, i5, KERLAB_REGISTERS_OF_A(i0, i1, i2, i3, i4), ", 1, 1, " i6)
#define KERLAB_REGISTERS_FLOAT(kind, i0, i1, i2, i3, i4, i5, i6, i7) \
  KERLAB_WGMMA_TEXT(kind, i5, KERLAB_REGISTERS_OF_A(i0, i1, i2, i3, i4), ", 1, 1")
#define KERLAB_REGISTERS_INT(kind, i0, i1, i2, i3, i4, i5, i6, i7) \
  KERLAB_WGMMA_TEXT(kind, i5, KERLAB_REGISTERS_OF_A(i0, i1, i2, i3, i4), "")
#define KERLAB_WGMMA_REGISTERS(form, kind, c)                                                           \
  asm volatile(KERLAB_INPUTS(WGMMA_INSTRUCTION_N, form, kind)                                           \
               : KERLAB_OUTPUTS(WGMMA_INSTRUCTION_N, c)                                                 \
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(static_cast<int>(accumulate)), \
                 "n"(static_cast<int>(MnB)))
