#pragma once
// The registers of one wgmma, by its n: what its text names them, how they are handed over, and the numbers of the
// operands after them. A line adds four registers, eight columns, to the line before.
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
#define KERLAB_SUMS_8(c) KERLAB_FOUR(c, 0)
#define KERLAB_SUMS_16(c) KERLAB_SUMS_8(c), KERLAB_FOUR(c, 4)
#define KERLAB_SUMS_24(c) KERLAB_SUMS_16(c), KERLAB_FOUR(c, 8)
#define KERLAB_SUMS_32(c) KERLAB_SUMS_24(c), KERLAB_FOUR(c, 12)
#define KERLAB_SUMS_40(c) KERLAB_SUMS_32(c), KERLAB_FOUR(c, 16)
#define KERLAB_SUMS_48(c) KERLAB_SUMS_40(c), KERLAB_FOUR(c, 20)
#define KERLAB_SUMS_56(c) KERLAB_SUMS_48(c), KERLAB_FOUR(c, 24)
#define KERLAB_SUMS_64(c) KERLAB_SUMS_56(c), KERLAB_FOUR(c, 28)
#define KERLAB_SUMS_72(c) KERLAB_SUMS_64(c), KERLAB_FOUR(c, 32)
#define KERLAB_SUMS_80(c) KERLAB_SUMS_72(c), KERLAB_FOUR(c, 36)
#define KERLAB_SUMS_88(c) KERLAB_SUMS_80(c), KERLAB_FOUR(c, 40)
#define KERLAB_SUMS_96(c) KERLAB_SUMS_88(c), KERLAB_FOUR(c, 44)
#define KERLAB_SUMS_104(c) KERLAB_SUMS_96(c), KERLAB_FOUR(c, 48)
#define KERLAB_SUMS_112(c) KERLAB_SUMS_104(c), KERLAB_FOUR(c, 52)
#define KERLAB_SUMS_120(c) KERLAB_SUMS_112(c), KERLAB_FOUR(c, 56)
#define KERLAB_SUMS_128(c) KERLAB_SUMS_120(c), KERLAB_FOUR(c, 60)
#define KERLAB_SUMS_136(c) KERLAB_SUMS_128(c), KERLAB_FOUR(c, 64)
#define KERLAB_SUMS_144(c) KERLAB_SUMS_136(c), KERLAB_FOUR(c, 68)
#define KERLAB_SUMS_152(c) KERLAB_SUMS_144(c), KERLAB_FOUR(c, 72)
#define KERLAB_SUMS_160(c) KERLAB_SUMS_152(c), KERLAB_FOUR(c, 76)
#define KERLAB_SUMS_168(c) KERLAB_SUMS_160(c), KERLAB_FOUR(c, 80)
#define KERLAB_SUMS_176(c) KERLAB_SUMS_168(c), KERLAB_FOUR(c, 84)
#define KERLAB_SUMS_184(c) KERLAB_SUMS_176(c), KERLAB_FOUR(c, 88)
#define KERLAB_SUMS_192(c) KERLAB_SUMS_184(c), KERLAB_FOUR(c, 92)
#define KERLAB_SUMS_200(c) KERLAB_SUMS_192(c), KERLAB_FOUR(c, 96)
#define KERLAB_SUMS_208(c) KERLAB_SUMS_200(c), KERLAB_FOUR(c, 100)
#define KERLAB_SUMS_216(c) KERLAB_SUMS_208(c), KERLAB_FOUR(c, 104)
#define KERLAB_SUMS_224(c) KERLAB_SUMS_216(c), KERLAB_FOUR(c, 108)
#define KERLAB_SUMS_232(c) KERLAB_SUMS_224(c), KERLAB_FOUR(c, 112)
#define KERLAB_SUMS_240(c) KERLAB_SUMS_232(c), KERLAB_FOUR(c, 116)
#define KERLAB_SUMS_248(c) KERLAB_SUMS_240(c), KERLAB_FOUR(c, 120)
#define KERLAB_SUMS_256(c) KERLAB_SUMS_248(c), KERLAB_FOUR(c, 124)

// Descriptors of A and B, whether D is added to, and whether A and B are stored with x contiguous.
#define KERLAB_INPUTS_8(use) use("%4", "%5", "%6", "%7", "%8")
#define KERLAB_INPUTS_16(use) use("%8", "%9", "%10", "%11", "%12")
#define KERLAB_INPUTS_24(use) use("%12", "%13", "%14", "%15", "%16")
#define KERLAB_INPUTS_32(use) use("%16", "%17", "%18", "%19", "%20")
#define KERLAB_INPUTS_40(use) use("%20", "%21", "%22", "%23", "%24")
#define KERLAB_INPUTS_48(use) use("%24", "%25", "%26", "%27", "%28")
#define KERLAB_INPUTS_56(use) use("%28", "%29", "%30", "%31", "%32")
#define KERLAB_INPUTS_64(use) use("%32", "%33", "%34", "%35", "%36")
#define KERLAB_INPUTS_72(use) use("%36", "%37", "%38", "%39", "%40")
#define KERLAB_INPUTS_80(use) use("%40", "%41", "%42", "%43", "%44")
#define KERLAB_INPUTS_88(use) use("%44", "%45", "%46", "%47", "%48")
#define KERLAB_INPUTS_96(use) use("%48", "%49", "%50", "%51", "%52")
#define KERLAB_INPUTS_104(use) use("%52", "%53", "%54", "%55", "%56")
#define KERLAB_INPUTS_112(use) use("%56", "%57", "%58", "%59", "%60")
#define KERLAB_INPUTS_120(use) use("%60", "%61", "%62", "%63", "%64")
#define KERLAB_INPUTS_128(use) use("%64", "%65", "%66", "%67", "%68")
#define KERLAB_INPUTS_136(use) use("%68", "%69", "%70", "%71", "%72")
#define KERLAB_INPUTS_144(use) use("%72", "%73", "%74", "%75", "%76")
#define KERLAB_INPUTS_152(use) use("%76", "%77", "%78", "%79", "%80")
#define KERLAB_INPUTS_160(use) use("%80", "%81", "%82", "%83", "%84")
#define KERLAB_INPUTS_168(use) use("%84", "%85", "%86", "%87", "%88")
#define KERLAB_INPUTS_176(use) use("%88", "%89", "%90", "%91", "%92")
#define KERLAB_INPUTS_184(use) use("%92", "%93", "%94", "%95", "%96")
#define KERLAB_INPUTS_192(use) use("%96", "%97", "%98", "%99", "%100")
#define KERLAB_INPUTS_200(use) use("%100", "%101", "%102", "%103", "%104")
#define KERLAB_INPUTS_208(use) use("%104", "%105", "%106", "%107", "%108")
#define KERLAB_INPUTS_216(use) use("%108", "%109", "%110", "%111", "%112")
#define KERLAB_INPUTS_224(use) use("%112", "%113", "%114", "%115", "%116")
#define KERLAB_INPUTS_232(use) use("%116", "%117", "%118", "%119", "%120")
#define KERLAB_INPUTS_240(use) use("%120", "%121", "%122", "%123", "%124")
#define KERLAB_INPUTS_248(use) use("%124", "%125", "%126", "%127", "%128")
#define KERLAB_INPUTS_256(use) use("%128", "%129", "%130", "%131", "%132")

#define KERLAB_NAMES_AT(n) KERLAB_NAMES_##n
#define KERLAB_NAMES(n) KERLAB_NAMES_AT(n)
#define KERLAB_SUMS_AT(n, c) KERLAB_SUMS_##n(c)
#define KERLAB_SUMS(n, c) KERLAB_SUMS_AT(n, c)
#define KERLAB_INPUTS_AT(n, use) KERLAB_INPUTS_##n(use)
#define KERLAB_INPUTS(n, use) KERLAB_INPUTS_AT(n, use)
