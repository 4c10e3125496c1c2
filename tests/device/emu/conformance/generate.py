#!/usr/bin/env python3
"""Writes the conformance fixtures, one .ptx file per group, beside this script: `./generate.py`. Deterministic.

Each form of an instruction is a kernel form(in, out): thread t reads one 64-bit word per input from `in`, executes the
instruction and stores its results at out + t * bytes. The line "// form ..." before it says how to launch it and how to
compare (see inputs.h). In a body {i0} {i1} ... are the inputs, {d0} ... the results, %t %w %h %p scratch registers.
"""
import itertools
import os
import re

FOLDER = os.path.dirname(os.path.abspath(__file__))


def scalar(t):
    """m.f16x2c -> f16x2"""
    return re.sub(r'^m\.', '', t).rstrip('c') if t.startswith('m.') else t


def bits_of(t):
    t = scalar(t)
    if t == 'pred':
        return 1
    if t in ('shift', 'lane', 'few', 'vote', 'normal', 'tf32'):
        return 32
    if t in ('e4m3', 'e5m2'):
        return 8
    many = re.match(r'^([a-z]+\d*m?\d*)x(\d+)$', t)
    if many:
        return bits_of(many.group(1)) * int(many.group(2))
    return int(re.search(r'(\d+)$', t).group(1))


def reg_bits(t):
    return max(16, bits_of(t))


class File:
    def __init__(self, name, target='sm_80', version='8.0', block=256):
        self.name, self.target, self.version, self.block = name, target, version, block
        self.kernels, self.names = [], set()

    def form(self, body, outs, ins, name=None, check='bits', shared=0, local=0, block=None):
        """outs: types; 'pred' is stored as one byte; a 'b8' is the low byte of a 16-bit register."""
        block = block or (self.block if len(ins) > 1 else 256)
        name = re.sub(r'[^A-Za-z0-9_]+', '_', (name or body.split()[0]).replace('::', '_')).strip('_')
        while name in self.names:
            match = re.search(r'_v(\d+)$', name)
            name = re.sub(r'_v\d+$', '', name) + '_v%d' % (int(match.group(1)) + 1 if match else 2)
        self.names.add(name)
        sizes = [1 if t == 'pred' else max(1, bits_of(t) // 8) for t in outs]
        align = max(sizes)
        size = (sum(sizes) + align - 1) // align * align
        head = f'// form {name} in={",".join(ins)} out={size} block={block} records={block} check={check}'
        lines = [f'.visible .entry {name}(.param .u64 in, .param .u64 out)', '{']
        if shared:
            lines.append(f'.shared .align 128 .b8 sm[{shared}];')
        if local:
            lines.append(f'.local .align 16 .b8 lm[{local}];')
        used = lambda prefix: re.search('%' + prefix + r'\d', body)
        for prefix, kind in (('t', 'b32'), ('w', 'b64'), ('h', 'b16'), ('p', 'pred')):
            if used(prefix):
                lines.append(f'.reg .{kind} %{prefix}<16>;')
        lines.append('.reg .b64 %in, %out, %word; .reg .b32 %me; .reg .pred %bit;')
        names = {}
        for i, t in enumerate(ins):
            names[f'i{i}'] = f'%i{i}'
            lines.append(f'.reg .{"pred" if t == "pred" else "b%d" % reg_bits(t)} %i{i};')
        for i, t in enumerate(outs):
            names[f'd{i}'] = f'%d{i}'
            lines.append(f'.reg .{"pred" if t == "pred" else "b%d" % reg_bits(t)} %d{i};')
        lines += ['ld.param.u64 %in, [in];', 'ld.param.u64 %out, [out];', 'cvta.to.global.u64 %in, %in;', 'cvta.to.global.u64 %out, %out;',
                  'mov.u32 %me, %tid.x;', f'mad.wide.u32 %in, %me, {8 * len(ins)}, %in;', f'mad.wide.u32 %out, %me, {size}, %out;']
        for i, t in enumerate(ins):
            lines.append(f'ld.global.u64 %word, [%in+{8 * i}];')
            if t == 'pred':
                lines.append(f'setp.ne.u64 %i{i}, %word, 0;')
            elif reg_bits(t) == 64:
                lines.append(f'mov.b64 %i{i}, %word;')
            else:
                lines.append(f'cvt.u{reg_bits(t)}.u64 %i{i}, %word;')
        lines += [line.strip() for line in body.format(**names).strip().split('\n')]
        at = 0
        for i, (t, n) in enumerate(sorted(zip(outs, sizes), key=lambda x: -x[1])):
            register = f'%d{[j for j in range(len(outs)) if outs[j] == t][[x for x in sorted(zip(outs, sizes), key=lambda x: -x[1])][:i].count((t, n))]}'
            if t == 'pred':
                lines += ['{ .reg .b32 %o;', f'selp.b32 %o, 1, 0, {register};', f'st.global.u8 [%out+{at}], %o;', '}']
            else:
                lines.append(f'st.global.{"u" if n == 1 else "b"}{8 * n} [%out+{at}], {register};')
            at += n
        self.kernels.append('\n'.join([head] + lines + ['ret;', '}']))

    def op(self, instruction, out, ins, **options):
        """instruction d, inputs...; out may be a list for d|p or p|q."""
        outs = out.split() if isinstance(out, str) else out
        ins = ins.split() if isinstance(ins, str) else ins
        results = '|'.join('{d%d}' % i for i in range(len(outs)))
        self.form(f'{instruction} {results}, ' + ', '.join('{i%d}' % i for i in range(len(ins))) + ';', outs, ins, **options)

    def write(self):
        text = '\n\n'.join([f'// Written by generate.py\n.version {self.version}\n.target {self.target}\n.address_size 64'] + self.kernels) + '\n'
        with open(os.path.join(FOLDER, self.name + '.ptx'), 'w') as out:
            out.write(text)
        return len(self.kernels)


INTS = ['u16', 's16', 'u32', 's32', 'u64', 's64']
ROUND = ['rn', 'rz', 'rm', 'rp']
WIDE = {'u16': 'u32', 's16': 's32', 'u32': 'u64', 's32': 's64'}


def integer():
    f = File('integer')
    for t in INTS:
        for op in ('add', 'sub', 'mul.lo', 'mul.hi', 'min', 'max', 'div', 'rem'):
            f.op(f'{op}.{t}', t, [t, t])
        for part in ('lo', 'hi'):
            f.op(f'mad.{part}.{t}', t, [t, t, t])
        f.op(f'sad.{t}', t, [t, t, t])
        if t[0] == 's':
            f.op(f'abs.{t}', t, [t])
            f.op(f'neg.{t}', t, [t])
    for t, w in WIDE.items():
        f.op(f'mul.wide.{t}', w, [t, t])
        f.op(f'mad.wide.{t}', w, [t, t, w])
    f.op('add.sat.s32', 's32', 's32 s32')
    f.op('sub.sat.s32', 's32', 's32 s32')
    f.op('mad.hi.sat.s32', 's32', 's32 s32 s32')
    for t in ('u32', 's32'):
        for part in ('lo', 'hi'):
            f.op(f'mul24.{part}.{t}', t, [t, t])
            f.op(f'mad24.{part}.{t}', t, [t, t, t])
    f.op('mad24.hi.sat.s32', 's32', 's32 s32 s32')
    for a, b in itertools.product(('u32', 's32'), repeat=2):
        d = 's32' if 's' in a + b else 'u32'
        f.op(f'dp4a.{a}.{b}', d, [a, b, d])
        for part in ('lo', 'hi'):
            f.op(f'dp2a.{part}.{a}.{b}', d, [a, b, d])
    # extended precision
    for t in ('u32', 's32', 'u64', 's64'):
        f.form(f'add.cc.{t} {{d0}}, {{i0}}, {{i1}};\naddc.cc.{t} {{d1}}, {{i1}}, {{i2}};\naddc.{t} {{d2}}, {{i0}}, {{i2}};', [t] * 3, [t] * 3, name=f'carry_add_{t}')
        f.form(f'sub.cc.{t} {{d0}}, {{i0}}, {{i1}};\nsubc.cc.{t} {{d1}}, {{i1}}, {{i2}};\nsubc.{t} {{d2}}, {{i0}}, {{i2}};', [t] * 3, [t] * 3, name=f'carry_sub_{t}')
        f.form(f'sub.cc.{t} {{d0}}, {{i0}}, {{i1}};\naddc.{t} {{d1}}, {{i2}}, 0;', [t] * 2, [t] * 3, name=f'carry_sub_then_add_{t}')
        f.form(f'add.cc.{t} {{d0}}, {{i0}}, {{i1}};\nsubc.{t} {{d1}}, {{i2}}, 0;', [t] * 2, [t] * 3, name=f'carry_add_then_sub_{t}')
        for part in ('lo', 'hi'):
            f.form(f'mad.{part}.cc.{t} {{d0}}, {{i0}}, {{i1}}, {{i2}};\nmadc.{part}.cc.{t} {{d1}}, {{i1}}, {{i2}}, {{i0}};\nmadc.{part}.{t} {{d2}}, {{i0}}, {{i2}}, {{i1}};',
                   [t] * 3, [t] * 3, name=f'carry_mad_{part}_{t}')
    # division by constants and immediates
    for t, c in (('u32', 7), ('s32', -10), ('u64', 1000000007), ('s64', -3), ('s32', 1), ('u32', 2147483648)):
        f.form(f'div.{t} {{d0}}, {{i0}}, {c};\nrem.{t} {{d1}}, {{i0}}, {c};', [t, t], [t], name=f'divide_by_constant_{t}')
    return f


def integer90():
    f = File('integer_sm90', 'sm_90')
    for t in ('u16x2', 's16x2'):
        f.op(f'add.{t}', t, [t, t])
        for op in ('min', 'max'):
            f.op(f'{op}.{t}', t, [t, t])
    for op in ('min', 'max'):
        f.op(f'{op}.relu.s16x2', 's16x2', 's16x2 s16x2')
        f.op(f'{op}.relu.s32', 's32', 's32 s32')
    return f


def logic():
    f = File('logic', version='8.2')
    for b in ('b16', 'b32', 'b64'):
        for op in ('and', 'or', 'xor'):
            f.op(f'{op}.{b}', b, [b, b])
        f.op(f'not.{b}', b, [b])
        f.op(f'cnot.{b}', b, [b])
        f.op(f'shl.{b}', b, [b, 'shift'])
        f.op(f'shr.{b}', b, [b, 'shift'])
        for k in ('u', 's'):
            t = k + b[1:]
            f.op(f'shr.{t}', t, [t, 'shift'])
    for op in ('and', 'or', 'xor'):
        f.op(f'{op}.pred', 'pred', 'pred pred')
    f.op('not.pred', 'pred', 'pred')
    for table in (0x00, 0x01, 0x1b, 0x3c, 0x55, 0x80, 0x96, 0xca, 0xe8, 0xf0, 0xfe, 0xff, 0xd2, 0x6a):
        f.form(f'lop3.b32 {{d0}}, {{i0}}, {{i1}}, {{i2}}, {table};', ['b32'], ['b32'] * 3, name=f'lop3_{table:02x}')
    for table in (0x96, 0x2d):
        for op in ('and', 'or'):
            f.form(f'lop3.{op}.b32 {{d1}}|{{d0}}, {{i0}}, {{i1}}, {{i2}}, {table}, {{i3}};', ['pred', 'b32'], ['b32', 'b32', 'b32', 'pred'], name=f'lop3_{op}_{table:02x}')
    for side, mode in itertools.product('lr', ('wrap', 'clamp')):
        f.op(f'shf.{side}.{mode}.b32', 'b32', 'b32 b32 shift')
    for c in (0, 1, 31, 32, 33, 64):
        f.form(f'shl.b32 {{d0}}, {{i0}}, {c};\nshr.s32 {{d1}}, {{i0}}, {c};\nshr.u32 {{d2}}, {{i0}}, {c};\nshf.l.wrap.b32 {{d3}}, {{i0}}, {{i1}}, {c};', ['b32'] * 4, ['b32'] * 2, name=f'shift_by_{c}')
    for b in ('b32', 'b64'):
        f.op(f'popc.{b}', 'u32', [b])
        f.op(f'clz.{b}', 'u32', [b])
        f.op(f'brev.{b}', b, [b])
        f.op(f'bfi.{b}', b, [b, b, 'shift', 'shift'])
        f.op(f'bfi.{b}', b, [b, b, 'u32', 'u32'])
    for t in ('u32', 's32', 'u64', 's64'):
        f.op(f'bfind.{t}', 'u32', [t])
        f.op(f'bfind.shiftamt.{t}', 'u32', [t])
        f.op(f'bfe.{t}', t, [t, 'shift', 'shift'])
        f.op(f'bfe.{t}', t, [t, 'u32', 'u32'])
    for mode in ('clamp', 'wrap'):
        f.op(f'bmsk.{mode}.b32', 'b32', 'shift shift')
        f.op(f'szext.{mode}.u32', 'u32', 'u32 shift')
        f.op(f'szext.{mode}.s32', 's32', 's32 shift')
    f.op('fns.b32', 'b32', 'b32 lane s32')
    f.form('and.b32 %t0, {i2}, 15;\nsub.s32 %t0, %t0, 8;\nfns.b32 {d0}, {i0}, {i1}, %t0;', ['b32'], ['b32', 'lane', 's32'], name='fns_small')
    f.op('prmt.b32', 'b32', 'b32 b32 b32')
    for c in ('0x3210', '0x7654', '0x0123', '0x5410', '0x7632', '0x8888', '0xba98', '0xfc40', '0x4321'):
        f.form(f'prmt.b32 {{d0}}, {{i0}}, {{i1}}, {c};', ['b32'], ['b32', 'b32'], name='prmt_' + c)
    for mode in ('f4e', 'b4e', 'rc8', 'ecl', 'ecr', 'rc16'):
        f.op(f'prmt.b32.{mode}', 'b32', 'b32 b32 shift')
    for b in ('b16', 'b32', 'b64', 'f32', 'f64'):
        f.op(f'selp.{b}', b, [b, b, 'pred'])
    for t, c in itertools.product(('b16', 'u32', 's64', 'f32', 'f64'), ('s32', 'f32')):
        f.op(f'slct.{t}.{c}', t, [t, t, c])
    f.op('slct.ftz.u32.f32', 'u32', 'u32 u32 f32')
    f.form('mov.b64 {{%t0, %t1}}, {i0};\nmov.b64 {d0}, {{%t1, %t0}};\nmov.b32 {{%h0, %h1}}, %t0;\nmov.b32 {d1}, {{%h1, %h0}};', ['b64', 'b32'], ['b64'], name='mov_pack')
    f.form('mov.b64 {{%h0, %h1, %h2, %h3}}, {i0};\nmov.b64 {d0}, {{%h3, %h2, %h1, %h0}};', ['b64'], ['b64'], name='mov_pack4')
    return f


SUFFIX = ['', '.ftz']


def f32():
    f = File('f32', block=512)
    for op, n in (('add', 2), ('sub', 2), ('mul', 2), ('fma', 3)):
        for r, ftz, sat in itertools.product(ROUND, SUFFIX, ('', '.sat')):
            f.op(f'{op}.{r}{ftz}{sat}.f32', 'f32', ['f32'] * n)
    for op, n in (('div', 2), ('rcp', 1), ('sqrt', 1)):
        for r, ftz in itertools.product(ROUND, SUFFIX):
            f.op(f'{op}.{r}{ftz}.f32', 'f32', ['f32'] * n)
    for op in ('abs', 'neg'):
        for ftz in SUFFIX:
            f.op(f'{op}{ftz}.f32', 'f32', 'f32')
    for op, ftz, nan, sign in itertools.product(('min', 'max'), SUFFIX, ('', '.NaN'), ('', '.xorsign.abs')):
        f.target = 'sm_86'
        f.op(f'{op}{ftz}{nan}{sign}.f32', 'f32', 'f32 f32')
    f.op('copysign.f32', 'f32', 'f32 f32')
    for c in ('finite', 'infinite', 'number', 'notanumber', 'normal', 'subnormal'):
        f.op(f'testp.{c}.f32', 'pred', 'f32')
    f.form('add.rn.f32 {d0}, {i0}, 0f3F800000;\nmul.rn.f32 {d1}, {i0}, 0fBF000000;\nfma.rn.f32 {d2}, {i0}, 0f40000000, 0f00000001;', ['f32'] * 3, ['f32'], name='immediates')
    return f


def approximate():
    f = File('approximate')
    for op, ftz in itertools.product(('rcp', 'sqrt', 'rsqrt', 'sin', 'cos', 'lg2', 'ex2'), SUFFIX):
        f.op(f'{op}.approx{ftz}.f32', 'f32', 'f32', check=op)
    f.op('tanh.approx.f32', 'f32', 'f32', check='tanh')
    for kind, ftz in itertools.product(('approx', 'full'), SUFFIX):
        f.op(f'div.{kind}{ftz}.f32', 'f32', 'f32 f32', check='div')
    f.op('rcp.approx.ftz.f64', 'f64', 'f64', check='rcp64')
    f.op('rsqrt.approx.ftz.f64', 'f64', 'f64', check='rsqrt64')
    f.op('rsqrt.approx.f64', 'f64', 'f64', check='rsqrt64')
    f.op('ex2.approx.f16', 'f16', 'f16', check='ex2_f16')
    f.op('ex2.approx.f16x2', 'f16x2', 'f16x2', check='ex2_f16')
    f.op('tanh.approx.f16', 'f16', 'f16', check='tanh_f16')
    f.op('tanh.approx.f16x2', 'f16x2', 'f16x2', check='tanh_f16')
    return f


def approximate90():
    f = File('approximate_sm90', 'sm_90')
    for t in ('bf16', 'bf16x2'):
        f.op(f'ex2.approx.ftz.{t}', t, [t], check='ex2_bf16')
        f.op(f'tanh.approx.{t}', t, [t], check='tanh_bf16')
    return f


def f64():
    f = File('f64', block=512)
    for op, n in (('add', 2), ('sub', 2), ('mul', 2), ('fma', 3), ('div', 2), ('rcp', 1), ('sqrt', 1)):
        for r in ROUND:
            f.op(f'{op}.{r}.f64', 'f64', ['f64'] * n)
    for op, n in (('abs', 1), ('neg', 1), ('min', 2), ('max', 2), ('copysign', 2)):
        f.op(f'{op}.f64', 'f64', ['f64'] * n)
    for c in ('finite', 'infinite', 'number', 'notanumber', 'normal', 'subnormal'):
        f.op(f'testp.{c}.f64', 'pred', 'f64')
    return f


def half():
    f = File('half', 'sm_86', block=512)
    for t in ('f16', 'f16x2'):
        for op, ftz, sat in itertools.product(('add.rn', 'sub.rn', 'mul.rn'), SUFFIX, ('', '.sat')):
            f.op(f'{op}{ftz}{sat}.{t}', t, [t, t])
        for ftz, end in itertools.product(SUFFIX, ('', '.sat', '.relu')):
            f.op(f'fma.rn{ftz}{end}.{t}', t, [t, t, t])
        for op, ftz in itertools.product(('abs', 'neg'), SUFFIX):
            f.op(f'{op}{ftz}.{t}', t, [t])
        for op, ftz, nan, sign in itertools.product(('min', 'max'), SUFFIX, ('', '.NaN'), ('', '.xorsign.abs')):
            f.op(f'{op}{ftz}{nan}{sign}.{t}', t, [t, t])
    for t in ('bf16', 'bf16x2'):
        for end in ('', '.relu'):
            f.op(f'fma.rn{end}.{t}', t, [t, t, t])
        for op in ('abs', 'neg'):
            f.op(f'{op}.{t}', t, [t])
        for op, nan, sign in itertools.product(('min', 'max'), ('', '.NaN'), ('', '.xorsign.abs')):
            f.op(f'{op}{nan}{sign}.{t}', t, [t, t])
    return f


def half90():
    f = File('half_sm90', 'sm_90', block=512)
    for t, op in itertools.product(('bf16', 'bf16x2'), ('add', 'sub', 'mul')):
        f.op(f'{op}.rn.{t}', t, [t, t])
    for t, op in itertools.product(('bf16', 'bf16x2', 'f16', 'f16x2'), ('add', 'sub', 'mul')):
        f.op(f'{op}.{t}', t, [t, t])
    return f


FLOAT_COMPARE = ['eq', 'ne', 'lt', 'le', 'gt', 'ge', 'equ', 'neu', 'ltu', 'leu', 'gtu', 'geu', 'num', 'nan']


def compare():
    f = File('compare', 'sm_90')
    for t in INTS:
        names = ['eq', 'ne', 'lt', 'le', 'gt', 'ge'] + (['lo', 'ls', 'hi', 'hs'] if t[0] == 'u' else [])
        for c in names:
            f.op(f'setp.{c}.{t}', 'pred pred', [t, t])
    for t, c in itertools.product(('b16', 'b32', 'b64'), ('eq', 'ne')):
        f.op(f'setp.{c}.{t}', 'pred', [t, t])
    for t, c in itertools.product(('f32', 'f64', 'f16', 'f16x2', 'bf16', 'bf16x2'), FLOAT_COMPARE):
        f.op(f'setp.{c}.{t}', 'pred' if t in ('f16', 'bf16') else 'pred pred', [t, t])
    for t, c in itertools.product(('f32', 'f16', 'f16x2'), ('eq', 'lt', 'geu')):
        f.op(f'setp.{c}.ftz.{t}', 'pred' if t == 'f16' else 'pred pred', [t, t])
    for b, t in itertools.product(('and', 'or', 'xor'), ('s32', 'u64', 'f32', 'f64', 'f16', 'bf16')):
        two = t not in ('f16', 'bf16')  # these have one result
        f.op(f'setp.lt.{b}.{t}', 'pred pred' if two else 'pred', [t, t, 'pred'])
        f.form(f'setp.ge.{b}.{t} {{d0}}' + ('|{d1}' if two else '') + ', {i0}, {i1}, !{i2};', ['pred', 'pred'] if two else ['pred'], [t, t, 'pred'], name=f'setp_ge_{b}_not_{t}')
    for d, t in itertools.product(('u32', 's32', 'f32'), ('u16', 's32', 'u64', 'b32', 'f32', 'f64')):
        for c in ('eq', 'ne') if t[0] == 'b' else ('lt', 'ge'):
            f.op(f'set.{c}.{d}.{t}', d, [t, t])
    f.op('set.gtu.and.u32.f32', 'u32', 'f32 f32 pred')
    f.op('set.lt.xor.f32.s32', 'f32', 's32 s32 pred')
    f.op('set.lt.ftz.f32.f32', 'f32', 'f32 f32')
    for t in ('f16', 'f16x2', 'bf16', 'bf16x2'):
        for c in ('lt', 'neu', 'num'):
            f.op(f'set.{c}.{t}.{t}', t, [t, t])
    for t in ('f16', 'bf16'):
        f.op(f'set.le.u32.{t}', 'u32', [t, t])
        f.op(f'set.le.u16.{t}', 'u16', [t, t])
    return f


CVT_INTS = ['u8', 's8', 'u16', 's16', 'u32', 's32', 'u64', 's64']


def convert():
    f = File('convert')

    def cvt(modifiers, d, s):
        wide = {'u8': 'u32', 's8': 's32', 'u16': 'u32', 's16': 's32'}
        # the whole destination register is compared where it is wider than the type
        f.op(f'cvt{modifiers}.{d}.{s}', wide.get(d, d), [s])

    for d, s in itertools.product(CVT_INTS, repeat=2):
        if d != s:
            cvt('', d, s)
    for d, s in itertools.product(CVT_INTS, repeat=2):
        if d != s and (d[0] != s[0] or int(d[1:]) < int(s[1:])) and not (d[0] == 's' and int(d[1:]) > int(s[1:])):
            cvt('.sat', d, s)
    for s, d, r in itertools.product(CVT_INTS, ('f16', 'f32', 'f64'), ROUND):
        if not (d == 'f16' and r in ('rm', 'rp') and False):
            cvt(f'.{r}', d, s)
    for d in ('f16', 'f32'):
        cvt('.rn.sat', d, 's32')
    for d, s, r in itertools.product(CVT_INTS, ('f16', 'f32', 'f64'), ('rni', 'rzi', 'rmi', 'rpi')):
        cvt(f'.{r}', d, s)
    for d in ('u8', 's8', 'u16', 's32', 'u64'):
        cvt('.rzi.sat', d, 'f32')
        cvt('.rpi.ftz', d, 'f32')
    cvt('.rni.sat', 's16', 'f64')
    cvt('.rni.sat', 'u32', 'f16')
    for d, s, r, sat in itertools.product(('f16', 'f32', 'f64'), ('f16', 'f32', 'f64'), ROUND, ('', '.sat')):
        if bits_of(d) < bits_of(s):
            cvt(f'.{r}{sat}', d, s)
    for d, s, sat in itertools.product(('f16', 'f32', 'f64'), ('f16', 'f32', 'f64'), ('', '.sat')):
        if bits_of(d) > bits_of(s):
            cvt(sat, d, s)
    for t, r, sat in itertools.product(('f16', 'f32', 'f64'), ('rni', 'rzi', 'rmi', 'rpi'), ('', '.sat')):
        cvt(f'.{r}{sat}', t, t)
    for r in ROUND:
        f.op(f'cvt.{r}.ftz.f16.f32', 'f16', 'f32')
        f.op(f'cvt.{r}.ftz.f32.f64', 'f32', 'f64')
    f.op('cvt.ftz.f32.f16', 'f32', 'f16')
    f.op('cvt.ftz.f64.f32', 'f64', 'f32')
    f.op('cvt.rni.ftz.f32.f32', 'f32', 'f32')
    f.op('cvt.ftz.f32.f32', 'f32', 'f32')
    f.op('cvt.sat.f32.f32', 'f32', 'f32')
    f.op('cvt.sat.ftz.f32.f32', 'f32', 'f32')
    f.op('cvt.sat.f64.f64', 'f64', 'f64')
    f.op('cvt.f16.f16', 'f16', 'f16')
    for r, relu in itertools.product(('rn', 'rz'), ('', '.relu')):
        f.op(f'cvt.{r}{relu}.bf16.f32', 'bf16', 'f32')
        f.op(f'cvt.{r}{relu}.bf16x2.f32', 'bf16x2', 'f32 f32')
        f.op(f'cvt.{r}{relu}.f16x2.f32', 'f16x2', 'f32 f32')
        f.op(f'cvt.{r}{relu}.f16.f32', 'f16', 'f32')
    f.op('cvt.rna.tf32.f32', 'b32', 'f32')
    return f


def convert90():
    f = File('convert_sm90', 'sm_90', '8.1')
    f.op('cvt.f32.bf16', 'f32', 'bf16')
    f.op('cvt.f64.bf16', 'f64', 'bf16')
    for r in ROUND:
        f.op(f'cvt.{r}.bf16.f16', 'bf16', 'f16')
        f.op(f'cvt.{r}.f16.bf16', 'f16', 'bf16')
        f.op(f'cvt.{r}.bf16.f64', 'bf16', 'f64')
    for t, r in itertools.product(CVT_INTS[2:], ('rn', 'rz')):
        f.op(f'cvt.{r}.bf16.{t}', 'bf16', [t])
    for t, r in itertools.product(CVT_INTS[4:], ('rni', 'rzi')):
        f.op(f'cvt.{r}.{t}.bf16', t, ['bf16'])
    for r in ('rni', 'rpi'):
        f.op(f'cvt.{r}.bf16.bf16', 'bf16', ['bf16'])
    for r, relu in itertools.product(('rn', 'rz'), ('', '.relu')):
        f.op(f'cvt.{r}{relu}.tf32.f32', 'b32', 'f32')
    for t in ('e4m3x2', 'e5m2x2'):
        for relu in ('', '.relu'):
            f.op(f'cvt.rn.satfinite{relu}.{t}.f32', 'b16', 'f32 f32')
            f.op(f'cvt.rn.satfinite{relu}.{t}.f16x2', 'b16', 'f16x2')
            f.op(f'cvt.rn{relu}.f16x2.{t}', 'f16x2', ['b16'])
    return f


def memory():
    f = File('memory')
    spaces = {'shared': ('mad.lo.u32 %t0, %me, 32, 0;\nmov.u32 %t1, sm;\nadd.u32 %t0, %t0, %t1;', '[%t0+{at}]', dict(shared=256 * 32)),
              'local': ('mov.u64 %w0, lm;\nand.b32 %t2, %me, 3;\nmad.wide.u32 %w0, %t2, 16, %w0;', '[%w0+{at}]', dict(local=128)),
              'global': ('add.u64 %w0, %out, 0;', '[%w0+{at}]', {})}
    for space, (setup, where, options) in spaces.items():
        at = lambda n: where.replace('{at}', str(n))
        pad = ['b64'] * 4 if space == 'global' else []  # room in the output to write to
        base = len(pad)
        for t in ('u8', 's8', 'u16', 's16', 'u32', 's32', 'b64'):
            store = 'b' + t[1:]
            body = f'{setup}\nst.{space}.u64 {at(0)}, {{i0}};\nst.{space}.{store} {at(8)}, {{i1}};\n'
            wide = 'b64' if t == 'b64' else 'b32'
            body += ''.join(f'ld.{space}.{t} {{d{base + j}}}, {at(o)};\n' for j, o in enumerate([0, 8] if t in ('b64',) else [0, 4]))
            body += f'ld.{space}.{store} {{d{base + 2}}}, {at(8)};\n'
            body += ''.join(f'mov.b64 {{d{i}}}, {{i0}};\n' for i in range(base))
            f.form(body, pad + [wide] * 3, ['b64', 'b64' if wide == 'b64' else 'b32'], name=f'ld_st_{space}_{t}', **options)
        for v, t, unit in ((2, 'b32', 4), (4, 'b32', 4), (2, 'b64', 8), (4, 'b16', 2), (2, 'b16', 2)):
            ins = [t] * v
            vec = lambda k: '{{' + ', '.join(f'{{{k}{i}}}' for i in range(v)) + '}}'
            dst = '{{' + ', '.join(f'{{d{base + i}}}' for i in range(v)) + '}}'
            f.form(f'{setup}\nst.{space}.v{v}.{t} {at(0)}, {vec("i")};\nld.{space}.v{v}.{t} {dst}, {at(0)};\n' + ''.join(f'mov.b64 {{d{i}}}, 1;\n' for i in range(base)), pad + [t] * v, ins, name=f'ld_st_{space}_v{v}_{t}', **options)
    f.form('mov.u64 %w0, sm;\ncvta.shared.u64 %w1, %w0;\nmad.wide.u32 %w1, %me, 8, %w1;\nst.u64 [%w1], {i0};\nisspacep.shared {d1}, %w1;\nisspacep.global {d2}, %w1;\nisspacep.local {d3}, %w1;\nbar.sync 0;\nxor.b32 %t0, %me, 77;\nmov.u32 %t1, sm;\nmad.lo.u32 %t0, %t0, 8, %t1;\nld.shared.u64 {d0}, [%t0];',
           ['b64', 'pred', 'pred', 'pred'], ['b64'], name='generic_shared', shared=4096)
    f.form('mov.u64 %w0, lm;\ncvta.local.u64 %w1, %w0;\nst.u64 [%w1+8], {i0};\nisspacep.shared {d1}, %w1;\nisspacep.global {d2}, %w1;\nisspacep.local {d3}, %w1;\nld.local.u64 {d0}, [lm+8];',
           ['b64', 'pred', 'pred', 'pred'], ['b64'], name='generic_local', local=32)
    # cp.async with source sizes
    for n, kind in ((4, 'ca'), (8, 'ca'), (16, 'ca'), (16, 'cg')):
        for source in ('', ', %t3'):
            f.form(f'cvt.u32.u64 %t3, {{i1}};\nand.b32 %t3, %t3, 31;\nmin.u32 %t3, %t3, {n};\nmov.u32 %t0, sm;\nmad.lo.u32 %t0, %me, 16, %t0;\nst.shared.v2.u64 [%t0], {{{{{{i0}}, {{i1}}}}}};\nand.b64 %w0, %in, -16;\ncp.async.{kind}.shared.global [%t0], [%w0], {n}{source};\ncp.async.commit_group;\ncp.async.wait_group 0;\nld.shared.v2.u64 {{{{{{d0}}, {{d1}}}}}}, [%t0];',
                   ['b64', 'b64'], ['b64', 'b64'], name=f'cp_async_{kind}_{n}' + ('_size' if source else ''), shared=4096)
    # matrices of 8 x 8
    for x, trans in itertools.product((1, 2, 4), ('', '.trans')):
        d = '{{' + ', '.join(f'{{d{i}}}' for i in range(x)) + '}}'
        f.form(f'mov.u32 %t0, sm;\nmad.lo.u32 %t1, %me, 16, %t0;\nst.shared.v2.u64 [%t1], {{{{{{i0}}, {{i1}}}}}};\nbar.sync 0;\nxor.b32 %t2, %me, 37;\nmad.lo.u32 %t2, %t2, 16, %t0;\nldmatrix.sync.aligned.m8n8.x{x}{trans}.shared.b16 {d}, [%t2];',
               ['b32'] * x, ['b64', 'b64'], name=f'ldmatrix_x{x}{trans}', shared=4096)
    f.form('movmatrix.sync.aligned.m8n8.trans.b16 {d0}, {i0};', ['b32'], ['b32'], name='movmatrix')
    return f


def memory90():
    f = File('memory_sm90', 'sm_90')
    for x, trans in itertools.product((1, 2, 4), ('', '.trans')):
        s = '{{' + ', '.join(f'{{i{i}}}' for i in range(x)) + '}}'
        f.form(f'mov.u32 %t0, sm;\nmad.lo.u32 %t1, %me, 16, %t0;\nmov.b64 %w0, -1;\nst.shared.v2.u64 [%t1], {{{{%w0, %w0}}}};\nbar.sync 0;\nstmatrix.sync.aligned.m8n8.x{x}{trans}.shared.b16 [%t1], {s};\nbar.sync 0;\nld.shared.v2.u64 {{{{{{d0}}, {{d1}}}}}}, [%t1];',
               ['b64', 'b64'], ['b32'] * x, name=f'stmatrix_x{x}{trans}', shared=4096)
    return f


def atomics():
    f = File('atomics', 'sm_90', '8.1')
    ops = [(op, t) for t in ('u32', 's32', 'u64', 's64') for op in ('min', 'max')]
    ops += [('add', t) for t in ('u32', 's32', 'u64', 'f32', 'f64')] + [('inc', 'u32'), ('dec', 'u32')]
    ops += [(op, t) for t in ('b32', 'b64') for op in ('and', 'or', 'xor', 'exch')]
    ops += [('add.noftz', t) for t in ('f16', 'f16x2', 'bf16', 'bf16x2')]
    for (op, t), space in itertools.product(ops, ('shared', 'global')):
        where = '[%t0]' if space == 'shared' else '[%w0]'
        setup = 'mov.u32 %t0, sm;\nmad.lo.u32 %t0, %me, 8, %t0;' if space == 'shared' else 'mov.u64 %w0, %out;'
        pad = [] if space == 'shared' else ['b64']
        n, b = len(pad), reg_bits(t)
        body = f'{setup}\nst.{space}.b{b} {where}, {{i0}};\natom.{space}.{op}.{t} {{d{n}}}, {where}, {{i1}};\nld.{space}.b{b} {{d{n + 1}}}, {where};\n'
        body += ''.join('mov.b64 {d0}, 0;' for _ in pad)
        # an H200 leaves out some of these additions (driver 580.159.04): nothing to compare with
        check = 'open' if space == 'shared' and t in ('f16x2', 'bf16x2') else 'bits'
        f.form(body, pad + [t, t], [t, t], name=f'atom_{space}_{op}_{t}', check=check, shared=0 if n else 4096)
        f.form(body.replace(f'atom.{space}', 'red.' + space).replace(f'{{d{n}}}, {where}, {{i1}}', f'{where}, {{i1}}').replace(f'{{d{n + 1}}}', f'{{d{n}}}'), pad + [t], [t, t], name=f'red_{space}_{op}_{t}', check=check, shared=0 if n else 4096) if op != 'exch' else None
    for t in ('b16', 'b32', 'b64'):
        f.form(f'mov.u32 %t0, sm;\nmad.lo.u32 %t0, %me, 8, %t0;\nst.shared.{t} [%t0], {{i0}};\natom.shared.cas.{t} {{d0}}, [%t0], {{i1}}, {{i2}};\nld.shared.{t} {{d1}}, [%t0];', [t, t], [t, t, t], name=f'atom_shared_cas_{t}', shared=4096)
    # many lanes on one word: integers, so that the order does not matter
    for op, t in (('add', 'u32'), ('min', 's32'), ('max', 'u32'), ('or', 'b32'), ('xor', 'b32'), ('and', 'b32'), ('add', 'u64'), ('inc', 'u32'), ('max', 's64')):
        b = bits_of(t)
        value = '{i0}' if op != 'inc' else '100'
        f.form(f'mov.u32 %t0, sm;\nmad.lo.u32 %t1, %me, 8, %t0;\nmov.u64 %w0, 12345;\nst.shared.u64 [%t1], %w0;\nbar.sync 0;\nmad.lo.u32 %t2, {{i1}}, 8, %t0;\nred.shared.{op}.{t} [%t2], {value};\nbar.sync 0;\nld.shared.b{b} {{d0}}, [%t1];', [t], [t, 'few'], name=f'red_collide_{op}_{t}', shared=4096)
    return f


def warp():
    f = File('warp')
    for mode, clamp in (('up', 0), ('up', 0x1800), ('up', 0x1008), ('down', 31), ('down', 0x181f), ('down', 0x1c1f), ('bfly', 31), ('bfly', 0x1807), ('idx', 31), ('idx', 0x181f), ('idx', 0x1c03)):
        f.form(f'shfl.sync.{mode}.b32 {{d0}}|{{d1}}, {{i0}}, {{i1}}, {clamp}, 0xffffffff;', ['b32', 'pred'], ['b32', 'shift'], name=f'shfl_{mode}_{clamp:x}')
        f.form(f'and.b32 %t0, {{i1}}, 7;\nshfl.sync.{mode}.b32 {{d0}}|{{d1}}, {{i0}}, %t0, {clamp}, 0xffffffff;', ['b32', 'pred'], ['b32', 'shift'], name=f'shfl_{mode}_{clamp:x}_small')
    for mode in ('all', 'any', 'uni'):
        f.form(f'setp.ne.u32 %p0, {{i0}}, 0;\nvote.sync.{mode}.pred {{d0}}, %p0, 0xffffffff;\nvote.sync.{mode}.pred {{d1}}, !%p0, 0xffffffff;', ['pred', 'pred'], ['vote'], name=f'vote_{mode}')
    f.form('setp.ne.u32 %p0, {i0}, 0;\nvote.sync.ballot.b32 {d0}, %p0, 0xffffffff;\nvote.sync.ballot.b32 {d1}, !%p0, 0xffffffff;', ['b32', 'b32'], ['vote'], name='vote_ballot')
    for b, cvt in (('b32', ''), ('b64', 'cvt.u64.u32 %w0, {i0};\nshl.b64 %w0, %w0, 33;\n')):
        value = '{i0}' if b == 'b32' else '%w0'
        f.form(f'{cvt}match.any.sync.{b} {{d0}}, {value}, 0xffffffff;', ['b32'], ['few'], name=f'match_any_{b}')
        f.form(f'{cvt}match.all.sync.{b} {{d0}}|{{d1}}, {value}, 0xffffffff;', ['b32', 'pred'], ['vote'], name=f'match_all_{b}')
    for t, ops in (('u32', ('add', 'min', 'max')), ('s32', ('add', 'min', 'max')), ('b32', ('and', 'or', 'xor'))):
        for op in ops:
            f.op(f'redux.sync.{op}.{t}', t, [t], name=f'redux_{op}_{t}') if False else f.form(f'redux.sync.{op}.{t} {{d0}}, {{i0}}, 0xffffffff;', [t], [t], name=f'redux_{op}_{t}')
    # in a diverged warp: the odd lanes, and those whose value is small
    divergent = 'and.b32 %t1, %me, 1;\nsetp.eq.u32 %p1, %t1, 0;\nmov.b32 {{d0}}, 99;\n@%p1 bra even;\n{0}bra.uni join;\neven:\n{1}join:\n'
    for what in ('shfl.sync.bfly.b32 {{d0}}, {{i0}}, 6, 31, {m};', 'shfl.sync.down.b32 {{d0}}, {{i0}}, 2, 31, {m};', 'redux.sync.add.u32 {{d0}}, {{i0}}, {m};', 'match.any.sync.b32 {{d0}}, {{i1}}, {m};', 'setp.ne.u32 %p0, {{i1}}, 1;\nvote.sync.ballot.b32 {{d0}}, %p0, {m};', 'activemask.b32 {{d0}};'):
        f.form(divergent.format(what.replace('{m}', '0xaaaaaaaa') + '\n', what.replace('{m}', '0x55555555') + '\nadd.u32 {{d0}}, {{d0}}, 1;\n').replace('{{', '{').replace('}}', '}'), ['b32'], ['b32', 'few'], name='diverged_' + re.sub(r'^setp.*\n', '', what).split()[0])
    # barriers that reduce
    f.form('setp.ne.u32 %p0, {i0}, 2;\nbar.red.popc.u32 {d0}, 1, %p0;\nbar.red.and.pred {d1}, 2, %p0;\nbar.red.or.pred {d2}, 3, !%p0;', ['b32', 'pred', 'pred'], ['few'], name='bar_red')
    f.form('mov.u32 {d0}, %laneid;\nmov.u32 {d1}, %lanemask_lt;\nmov.u32 {d2}, %lanemask_le;\nmov.u32 {d3}, %lanemask_eq;\nmov.u32 {d4}, %lanemask_ge;\nmov.u32 {d5}, %lanemask_gt;', ['b32'] * 6, ['few'], name='lane_registers')
    f.form('mov.u32 {d0}, %ntid.x;\nmov.u32 {d1}, %ctaid.x;\nmov.u32 {d2}, %nctaid.z;\nmov.u32 {d3}, %tid.y;', ['b32'] * 4, ['few'], name='block_registers')
    return f


def warp90():
    f = File('warp_sm90', 'sm_90')
    f.form('elect.sync {d0}|{d1}, 0xffffffff;', ['b32', 'pred'], ['few'], name='elect')
    f.form('and.b32 %t1, %me, 3;\nsetp.ne.u32 %p1, %t1, 0;\nmov.b32 {d0}, 99;\n@%p1 elect.sync {d0}|{d1}, 0xeeeeeeee;\n@!%p1 elect.sync {d0}|{d1}, 0x11111111;', ['b32', 'pred'], ['few'], name='elect_diverged')
    return f


def mma_form(f, instruction, d, a, b, c):
    """d, a, b, c: (count, type)."""
    ins = [t for n, t in (a, b, c) for _ in range(n)]
    lists, at = [], 0
    for n, _ in (a, b, c):
        lists.append('{{' + ', '.join(f'{{i{at + i}}}' for i in range(n)) + '}}')
        at += n
    out = '{{' + ', '.join(f'{{d{i}}}' for i in range(d[0])) + '}}'
    f.form(f'{instruction} {out}, {", ".join(lists)};', [scalar(d[1])] * d[0], ins)


def matrix():
    f = File('matrix', block=512)
    row = 'mma.sync.aligned.m16n8k{}.row.col.{}.{}.{}.{}'
    for k, na, nb in ((8, 2, 1), (16, 4, 2)):
        mma_form(f, row.format(k, 'f32', 'f16', 'f16', 'f32'), (4, 'm.f32c'), (na, 'm.f16x2'), (nb, 'm.f16x2'), (4, 'm.f32c'))
        mma_form(f, row.format(k, 'f16', 'f16', 'f16', 'f16'), (2, 'm.f16x2c'), (na, 'm.f16x2'), (nb, 'm.f16x2'), (2, 'm.f16x2c'))
        mma_form(f, row.format(k, 'f32', 'bf16', 'bf16', 'f32'), (4, 'm.f32c'), (na, 'm.bf16x2'), (nb, 'm.bf16x2'), (4, 'm.f32c'))
    for k, na, nb in ((4, 2, 1), (8, 4, 2)):
        mma_form(f, row.format(k, 'f32', 'tf32', 'tf32', 'f32'), (4, 'm.f32c'), (na, 'm.tf32'), (nb, 'm.tf32'), (4, 'm.f32c'))
    for (shape, nd, na, nb), (ta, tb), sat in itertools.product((('m8n8k16', 2, 1, 1), ('m16n8k16', 4, 2, 1), ('m16n8k32', 4, 4, 2)), itertools.product(('s8', 'u8'), repeat=2), ('', '.satfinite')):
        mma_form(f, f'mma.sync.aligned.{shape}.row.col{sat}.s32.{ta}.{tb}.s32', (nd, 'm.s32c'), (na, 'm.s8x4'), (nb, 'm.s8x4'), (nd, 'm.s32c'))
    for (shape, nd, na, nb), (ta, tb) in itertools.product((('m8n8k32', 2, 1, 1), ('m16n8k32', 4, 2, 1), ('m16n8k64', 4, 4, 2)), (('s4', 's4'), ('u4', 'u4'), ('s4', 'u4'))):
        mma_form(f, f'mma.sync.aligned.{shape}.row.col.s32.{ta}.{tb}.s32', (nd, 'm.s32c'), (na, 'm.s8x4'), (nb, 'm.s8x4'), (nd, 'm.s32c'))
    for (shape, nd, na, nb), op in itertools.product((('m8n8k128', 2, 1, 1), ('m16n8k128', 4, 2, 1), ('m16n8k256', 4, 4, 2)), ('xor', 'and')):
        mma_form(f, f'mma.sync.aligned.{shape}.row.col.s32.b1.b1.s32.{op}.popc', (nd, 'm.s32c'), (na, 'm.s8x4'), (nb, 'm.s8x4'), (nd, 'm.s32c'))
    mma_form(f, 'mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64', (2, 'm.f64c'), (1, 'm.f64'), (1, 'm.f64'), (2, 'm.f64c'))
    return f


def matrix90():
    f = File('matrix_sm90', 'sm_90', '8.7', block=512)
    for k, na, nb in ((4, 2, 1), (8, 4, 2), (16, 8, 4)):
        for r in ('', '.rz') if k == 4 else ('',):
            mma_form(f, f'mma.sync.aligned.m16n8k{k}.row.col{r}.f64.f64.f64.f64', (4, 'm.f64c'), (na, 'm.f64'), (nb, 'm.f64'), (4, 'm.f64c'))
    for k, na, nb in ((16, 2, 1), (32, 4, 2)):
        for a, b in itertools.product(('e4m3', 'e5m2'), repeat=2):
            mma_form(f, f'mma.sync.aligned.m16n8k{k}.row.col.f32.{a}.{b}.f32', (4, 'm.f32c'), (na, f'm.{a}x4'), (nb, f'm.{b}x4'), (4, 'm.f32c'))
            mma_form(f, f'mma.sync.aligned.m16n8k{k}.row.col.f16.{a}.{b}.f16', (2, 'm.f16x2c'), (na, f'm.{a}x4'), (nb, f'm.{b}x4'), (2, 'm.f16x2c'))
    return f


def wmma():
    """A, B and C go through memory, since the layout of a wmma fragment is not specified. Four warps."""
    f = File('wmma')
    shapes = [('m16n16k16', 16, 16, 16), ('m32n8k16', 32, 8, 16), ('m8n32k16', 8, 32, 16)]
    fragments = {'f16': (8, 8, 'b32', 2), 'f32': (8, 8, 'b32', 4)}

    def one(shape, m, n, k, ta, tc, la, lb, lc, na, nb, nc, ra, rc, ea, ec, words, suffix=None, extra=''):
        abytes, bbytes, cbytes = m * k * ea, k * n * ea, m * n * ec
        per_warp = (abytes + bbytes + cbytes + 255) // 256 * 256
        reg = lambda name, r, count: f'.reg .{r} %{name}<{count}>;'
        vec = lambda name, count: '{{' + ', '.join(f'%{name}{i}' for i in range(count)) + '}}'
        lda = k if la == 'row' else m
        ldb = n if lb == 'row' else k
        ldc = n if lc == 'row' else m
        out_words = cbytes // 32 // 4
        body = [reg('A', ra, na), reg('B', ra, nb), reg('C', rc, nc), 'shr.u32 %t0, %me, 5;', f'mov.u32 %t1, sm;\nmad.lo.u32 %t1, %t0, {per_warp}, %t1;', 'mov.u32 %t2, %laneid;']
        # lane l writes its words one after the other
        at = 0
        for index, (base, size) in enumerate(((0, abytes), (abytes, bbytes), (abytes + bbytes, cbytes))):
            each = size // 32 // 4
            body.append(f'mad.lo.u32 %t3, %t2, {4 * each}, %t1;')
            for i in range(each):
                body.append(f'st.shared.b32 [%t3+{base + 4 * i}], {{i{at}}};')
                at += 1
        assert at == len(words), (shape, ta, tc, at, len(words))
        body += ['bar.warp.sync 0xffffffff;']
        body += [f'wmma.load.a.sync.aligned.{la}.{shape}.shared.{ta} {vec("A", na)}, [%t1], {lda};', f'add.u32 %t4, %t1, {abytes};', f'wmma.load.b.sync.aligned.{lb}.{shape}.shared.{ta} {vec("B", nb)}, [%t4], {ldb};',
                 f'add.u32 %t5, %t1, {abytes + bbytes};', f'wmma.load.c.sync.aligned.{lc}.{shape}.shared.{tc} {vec("C", nc)}, [%t5], {ldc};']
        body += [f'wmma.mma.sync.aligned.{la}.{lb}.{shape}.{suffix or tc + "." + tc}{extra} {vec("C", nc)}, {vec("A", na)}, {vec("B", nb)}, {vec("C", nc)};',
                 f'wmma.store.d.sync.aligned.{lc}.{shape}.shared.{tc} [%t5], {vec("C", nc)}, {ldc};', 'bar.warp.sync 0xffffffff;', f'mad.lo.u32 %t6, %t2, {4 * out_words}, %t5;']
        body += [f'ld.shared.b32 {{d{i}}}, [%t6+{4 * i}];' for i in range(out_words)]
        f.form('\n'.join(body), ['b32'] * out_words, words, name=f'wmma_{shape}_{la}_{lb}_{lc}_{ta}_{tc}{extra}', shared=4 * per_warp, block=128)

    for (shape, m, n, k), tc in itertools.product(shapes, ('f16', 'f32')):
        layouts = itertools.product(('row', 'col'), repeat=3) if m == 16 else (('row', 'col', 'row'), ('col', 'row', 'col'))
        for la, lb, lc in layouts:
            words = ['m.f16x2'] * (m * k // 64) + ['m.f16x2'] * (k * n // 64) + [('m.f16x2c' if tc == 'f16' else 'm.f32c')] * (m * n * (2 if tc == 'f16' else 4) // 128)
            one(shape, m, n, k, 'f16', tc, la, lb, lc, 8, 8, 4 if tc == 'f16' else 8, 'b32', 'b32', 2, 2 if tc == 'f16' else 4, words)
    for shape, m, n, k in shapes:
        na, nb = {'m16n16k16': (4, 4), 'm32n8k16': (8, 2), 'm8n32k16': (2, 8)}[shape]
        words = ['m.bf16x2'] * (m * k // 64) + ['m.bf16x2'] * (k * n // 64) + ['m.f32c'] * (m * n // 32)
        one(shape, m, n, k, 'bf16', 'f32', 'row', 'col', 'row', na, nb, 8, 'b32', 'b32', 2, 4, words, suffix='f32.bf16.bf16.f32')
        na, nb = {'m16n16k16': (2, 2), 'm32n8k16': (4, 1), 'm8n32k16': (1, 4)}[shape]
        for t in ('s8', 'u8'):
            words = ['m.s8x4'] * (m * k // 128) + ['m.s8x4'] * (k * n // 128) + ['m.s32c'] * (m * n // 32)
            one(shape, m, n, k, t, 's32', 'row', 'col', 'row', na, nb, 8, 'b32', 'b32', 1, 4, words, suffix=f's32.{t}.{t}.s32')
    one('m16n16k8', 16, 16, 8, 'tf32', 'f32', 'row', 'col', 'row', 4, 4, 8, 'b32', 'b32', 4, 4, ['m.tf32'] * 8 + ['m.f32c'] * 8, suffix='f32.tf32.tf32.f32')
    one('m8n8k4', 8, 8, 4, 'f64', 'f64', 'row', 'col', 'row', 1, 1, 2, 'b64', 'b64', 8, 8, ['m.f32c'] * 8, suffix='f64.f64.f64.f64')
    return f


if __name__ == '__main__':
    total = 0
    for group in (integer, integer90, logic, f32, approximate, approximate90, f64, half, half90, compare, convert, convert90, memory, memory90, atomics, warp, warp90, matrix, matrix90, wmma):
        file = group()
        count = file.write()
        total += count
        print(f'{file.name}: {count} forms')
    print(f'{total} forms')
