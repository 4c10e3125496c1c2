#pragma once
// A roofline as a drawing: one self-contained SVG file, both axes logarithmic, readable on light and dark screens.

#include <string>
#include <vector>

namespace kerlab {

/// A slope or a flat of the roof, as published and as measured; 0: not known.
struct SvgCeiling {
  std::string label;       ///< "memory (copy)", "bf16 tensor pipe"
  double theoretical = 0;  ///< bytes/s of a memory, FLOP/s of a pipe
  double measured = 0;
  std::string measured_label = {};  ///< where what was measured has a name of its own: "memory copy"; else `label`
};

struct SvgPoint {
  enum class Kind { winner, other, library } kind = Kind::other;
  std::string label;     ///< "mma_pipe"
  std::string value;     ///< behind the label: "471.6 TFLOP/s, 66 %"
  double intensity = 0;  ///< FLOP per byte
  double flops_per_s = 0;
};

struct RooflineDrawing {
  std::string title;                  ///< "gemm 4096x4096x4096 bf16 nn"
  std::string subtitle;               ///< the device, what the times are
  std::string measured = "measured";  ///< what the legend calls measured ceilings: of a pretended device "scripted"
  std::vector<SvgCeiling> memories;
  std::vector<SvgCeiling> pipes;  ///< the first pair of memory and pipe makes the ridge
  std::vector<SvgPoint> points;
  std::vector<std::string> caption = {};  ///< paragraphs below everything
};

/// Empty when no memory or no pipe is known. Any text is escaped.
std::string roofline_svg(const RooflineDrawing& drawing);

}  // namespace kerlab
