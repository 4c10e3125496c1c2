#!/usr/bin/env python3
"""Stands for any generator that writes PTX: z = a x + y with accesses of VEC numbers.

  emit.py FOLDER [--forget-tail]      writes saxpy_1.ptx, saxpy_2.ptx, saxpy_4.ptx

--forget-tail leaves out the numbers after the last whole vector, as generators do that were tried on powers of two.
"""
import pathlib
import sys

HEAD = """.version 7.0
.target sm_80
.address_size 64

.visible .entry saxpy(.param .u64 x, .param .u64 y, .param .u64 z, .param .u32 n, .param .f32 a)
{
  .reg .pred %p<4>;
  .reg .f32 %a, %x<4>, %y<4>;
  .reg .b32 %n, %i, %t, %last;
  .reg .b64 %xp, %yp, %zp, %at;
  ld.param.u64 %xp, [x];
  ld.param.u64 %yp, [y];
  ld.param.u64 %zp, [z];
  ld.param.u32 %n, [n];
  ld.param.f32 %a, [a];
  mov.u32 %t, %ctaid.x;
  mov.u32 %i, %ntid.x;
  mul.lo.u32 %i, %i, %t;
  mov.u32 %t, %tid.x;
  add.u32 %i, %i, %t;
"""


def kernel(vec, forget_tail):
    several = lambda name: "{" + ", ".join(f"%{name}{e}" for e in range(vec)) + "}" if vec > 1 else f"%{name}0"
    width = f".v{vec}" if vec > 1 else ""
    lines = [f"mul.lo.u32 %i, %i, {vec};"]
    for pointer in ("xp", "yp", "zp"):
        lines += ["mul.wide.u32 %at, %i, 4;", f"add.u64 %{pointer}, %{pointer}, %at;"]
    lines += [f"add.u32 %last, %i, {vec};", "setp.gt.u32 %p0, %last, %n;", "@%p0 bra TAIL;",
              f"ld.global{width}.f32 {several('x')}, [%xp];", f"ld.global{width}.f32 {several('y')}, [%yp];"]
    lines += [f"fma.rn.f32 %y{e}, %a, %x{e}, %y{e};" for e in range(vec)]
    lines += [f"st.global{width}.f32 [%zp], {several('y')};", "ret;", "TAIL:"]
    for e in range(0 if forget_tail else vec - 1):
        lines += [f"add.u32 %last, %i, {e};", "setp.ge.u32 %p1, %last, %n;", "@%p1 bra DONE;",
                  f"ld.global.f32 %x0, [%xp + {4 * e}];", f"ld.global.f32 %y0, [%yp + {4 * e}];",
                  "fma.rn.f32 %y0, %a, %x0, %y0;", f"st.global.f32 [%zp + {4 * e}], %y0;"]
    return HEAD + "".join(f"  {line}\n" for line in lines) + "DONE:\n  ret;\n}\n"


def main():
    folder = pathlib.Path(sys.argv[1])
    for vec in (1, 2, 4):
        (folder / f"saxpy_{vec}.ptx").write_text(kernel(vec, "--forget-tail" in sys.argv))


if __name__ == "__main__":
    main()
