// Scales, axes and marks of the plots that are drawn here, for the width that there is. All in pixels.
const escaped = (text) => String(text).replace(/[&<>"]/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[c]);
const pen = document.createElement('canvas').getContext('2d');
pen.font = '12px system-ui, -apple-system, "Segoe UI", Helvetica, Arial, sans-serif'; // of figure.css
const textWidth = (text) => pen.measureText(text).width;

class Scale {
  constructor(low, high, from, to, logarithmic) { Object.assign(this, { low, high, from, to, logarithmic }); }

  pixel(value) {
    const share = this.logarithmic ? Math.log(value / this.low) / Math.log(this.high / this.low)
      : (value - this.low) / (this.high - this.low);
    return this.from + Math.min(1, Math.max(0, share)) * (this.to - this.from);
  }

  value(pixel) {
    const share = Math.min(1, Math.max(0, (pixel - this.from) / (this.to - this.from)));
    return this.logarithmic ? this.low * (this.high / this.low) ** share : this.low + share * (this.high - this.low);
  }

  // Decades, with 2 and 5 between them where there is room; round steps where there is less than a decade.
  ticks(most) {
    const decades = Math.log10(this.high / this.low);
    if (this.logarithmic && decades >= 0.8) {
      const factors = 3 * decades <= most ? [1, 2, 5] : [1], every = Math.max(1, Math.ceil(decades / most)), values = [];
      for (let e = Math.floor(Math.log10(this.low)); 10 ** e <= this.high; ++e)
        for (const factor of factors) {
          const value = Number((factor * 10 ** e).toPrecision(3));
          if (e % every === 0 && value >= this.low && value <= this.high) values.push(value);
        }
      if (values.length > 1) return values;
    }
    const rough = (this.high - this.low) / most, power = 10 ** Math.floor(Math.log10(rough));
    const step = power * ([1, 2, 5].find((factor) => factor * power >= rough) || 10), values = [];
    for (let i = Math.ceil(this.low / step - 1e-9); i * step <= this.high + 1e-9 * step; ++i)
      values.push(Number((i * step).toPrecision(12)));
    return values;
  }
}

// Room for all values with a margin; logarithmic when they are positive and spread over more than `ratio`.
function scaleFor(values, from, to, ratio) {
  const low = Math.min(...values), high = Math.max(...values);
  if (!(low <= high)) return new Scale(0, 1, from, to, false);
  if (low > 0 && high > ratio * low) return new Scale(low / (high / low) ** 0.06, high * (high / low) ** 0.06, from, to, true);
  const margin = Math.max(0.08 * (high - low), 1e-3 * Math.abs(high) + 1e-12);
  return new Scale(low >= 0 ? Math.max(0, low - margin) : low - margin, high + margin, from, to, false);
}

const tickText = (value) => {
  for (const [unit, name] of [[1e12, ' T'], [1e9, ' G'], [1e6, ' M'], [1e4, ' K']])
    if (Math.abs(value) >= unit) return Number((value / (name === ' K' ? 1e3 : unit)).toPrecision(4)) + name;
  return String(Number(value.toPrecision(6)));
};
// As the tables write them: at least four digits.
const usText = (us) => (us >= 1000 ? us.toFixed(0).replace(/\B(?=(\d{3})+$)/g, ',') : us.toPrecision(4));

const textMark = (x, y, text, style, anchor = 'start') =>
  `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" class="${style}" text-anchor="${anchor}">${escaped(text)}</text>`;
const lineMark = (x1, y1, x2, y2, style) =>
  `<line x1="${x1.toFixed(1)}" y1="${y1.toFixed(1)}" x2="${x2.toFixed(1)}" y2="${y2.toFixed(1)}" class="${style}"/>`;
// One path of dots; `marks` has [row, x, y].
const dotsMark = (style, marks) => (!marks.length ? '' : `<path class="dots ${style}${marks.length > 600 ? ' dense' : marks.length < 150 ? ' few' : ''}" ` +
  `data-i="${marks.map((mark) => mark[0]).join(' ')}" d="${marks.map((mark) => `M${mark[1].toFixed(1)} ${mark[2].toFixed(1)}h0`).join('')}"/>`);

function xAxis(x, top, bottom, title) {
  let marks = '', last = -Infinity;
  for (const value of x.ticks(Math.max(2, Math.floor((x.to - x.from) / 70)))) {
    const at = x.pixel(value), half = textWidth(tickText(value)) / 2;
    marks += lineMark(at, top, at, bottom, 'grid');
    if (at - half < last + 6) continue;
    marks += textMark(at, bottom + 17, tickText(value), 'dim', 'middle');
    last = at + half;
  }
  return marks + lineMark(x.from, bottom, x.to, bottom, 'frame') + textMark((x.from + x.to) / 2, bottom + 36, title, 'ink', 'middle');
}

function yAxis(y, left, right, title) {
  const marks = y.ticks(Math.max(2, Math.floor(Math.abs(y.from - y.to) / 42))).map((value) =>
    lineMark(left, y.pixel(value), right, y.pixel(value), 'grid') + textMark(left - 8, y.pixel(value) + 4, tickText(value), 'dim', 'end'));
  return marks.join('') + textMark(4, Math.min(y.from, y.to) - 14, title, 'ink');
}

// A line across at a value, named at one of its ends; `others`: heights where names stand already.
function namedLine(y, value, left, right, name, style, others, atLeft) {
  const at = y.pixel(value);
  let text = at - 6;
  while (others.some((other) => Math.abs(other - text) < 14)) text += 15;
  others.push(text);
  const place = atLeft ? [left + 4, 'start'] : [right - 4, 'end'];
  return lineMark(left, at, right, at, style) + textMark(place[0], text, name, `${style === 'library' ? 'warm' : 'dim'} halo`, place[1]);
}
