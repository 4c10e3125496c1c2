// Parallel coordinates: a line for each configuration of a variant over its parameters, and its time. Dragging along an
// axis writes the filter. Where the axes would stand too close, they lie below each other.
class Parallel extends Drawn {
  constructor(box) {
    super(box);
    const counts = new Map();
    for (const row of partRows(this.part)) if (timed(row)) counts.set(cell('variant', row), (counts.get(cell('variant', row)) || 0) + 1);
    this.variants = [...counts].filter((one) => one[1] > 2).sort((a, b) => b[1] - a[1]).map((one) => one[0]);
    this.variant = this.variants.includes(this.part.searched) ? this.part.searched : this.variants[0];
    this.canvas = document.createElement('canvas');
    box.prepend(this.canvas);
    if (this.variants.length > 1) this.choose();
    this.drag = null;
    box.addEventListener('pointerup', () => this.release());
  }

  choose() {
    const label = document.createElement('label'), select = document.createElement('select');
    label.className = 'choice';
    label.append('Variant ', select);
    for (const name of this.variants) select.add(new Option(name, name, false, name === this.variant));
    select.addEventListener('change', () => { this.variant = select.value; this.draw(); });
    this.box.before(label);
  }

  axes() {
    const names = new Map();
    for (const row of this.list)
      for (const word of cell('configuration', row).split(' ')) {
        const [name, value] = word.split('=');
        if (!names.has(name)) names.set(name, new Set());
        names.get(name).add(Number(value));
      }
    const axes = [], same = [];
    for (const [name, set] of names) {
      const values = [...set].sort((a, b) => a - b);
      if (values.length < 2) { same.push(`${name}=${values[0]}`); continue; }
      axes.push({ name, values, share: (row) => values.indexOf(parameter(name, row)) / (values.length - 1) });
    }
    const scale = scaleFor(this.list.map((row) => number('us', row)), 0, 1, 1.5);
    axes.push({ name: 'us', title: this.part.timeTitle, scale, share: (row) => scale.pixel(number('us', row)) });
    this.note((same.length ? `The same in all: ${same.join(' ')}.` : ''));
    return axes;
  }

  picture(width) {
    this.list = partRows(this.part).filter((row) => timed(row) && cell('variant', row) === this.variant);
    if (this.list.length < 2) return this.frame(width, 60, textMark(8, 30, 'Fewer than two configurations were timed.', 'dim'));
    this.axesNow = this.axes();
    const count = this.axesNow.length, upright = width / count >= 92;
    const long = upright ? 270 : width - 58, step = upright ? (width - 120) / Math.max(1, count - 1) : 58;
    // From an axis and a share of it to pixels.
    this.place = upright ? (k, share) => [44 + k * step, 44 + long * (1 - share)] : (k, share) => [24 + long * share, 44 + k * step];
    this.upright = upright;
    this.spots = new Map(this.list.map((row) => [row, this.axesNow.map((axis, k) => this.place(k, axis.share(row)))]));
    const height = upright ? 44 + long + 24 : 44 + (count - 1) * step + 40;
    this.paint(width, height);
    const marks = this.axesNow.map((axis, k) => this.axisMarks(axis, k)).join('');
    return this.frame(width, height, marks);
  }

  axisMarks(axis, k) {
    const [x1, y1] = this.place(k, 0), [x2, y2] = this.place(k, 1), title = axis.title || axis.name;
    let marks = lineMark(x1, y1, x2, y2, 'frame') + this.bandMarks(axis, k);
    const last = this.upright && k + 1 === this.axesNow.length;
    marks += this.upright ? textMark(last ? x2 + 74 : x2, y2 - 18, title, 'ink halo', last ? 'end' : 'middle') : textMark(4, y1 - 12, title, 'ink halo');
    const ticks = axis.scale ? axis.scale.ticks(5).map((value) => [axis.scale.pixel(value), value])
      : axis.values.map((value, at) => [at / (axis.values.length - 1), value]);
    let end = -Infinity;
    for (const [share, value] of ticks) {
      const [x, y] = this.place(k, share), text = tickText(value), half = this.upright ? 6 : textWidth(text) / 2;
      const along = this.upright ? -y : x;
      if (along - half < end + 4) continue;
      end = along + half;
      marks += this.upright ? lineMark(x - 3, y, x + 3, y, 'frame') + textMark(x + 7, y + 4, text, 'dim halo')
        : lineMark(x, y - 3, x, y + 3, 'frame') + textMark(x, y + 16, text, 'dim halo', 'middle');
    }
    return marks;
  }

  // What of an axis the filter leaves.
  bandMarks(axis, k) {
    const tests = filter.value.split(/\s+/).filter((word) => termName(word) === axis.name).map((word) => readTerm(word));
    if (!tests.length || tests.some((test) => typeof test === 'string')) return '';
    const shares = this.list.filter((row) => tests.every((test) => test(row))).map((row) => axis.share(row));
    return shares.length ? this.band(k, Math.min(...shares), Math.max(...shares)) : '';
  }

  band(k, from, to) {
    const [x1, y1] = this.place(k, from), [x2, y2] = this.place(k, to), wide = this.upright ? [9, 5] : [5, 9];
    return `<rect class="band" x="${Math.min(x1, x2) - wide[0]}" y="${Math.min(y1, y2) - wide[1]}" ` +
      `width="${Math.abs(x2 - x1) + 2 * wide[0]}" height="${Math.abs(y2 - y1) + 2 * wide[1]}"/>`;
  }

  // The lines: those that the filter leaves out faint, the fastest on top.
  paint(width, height) {
    const ratio = devicePixelRatio || 1, style = getComputedStyle(document.documentElement), context = this.canvas.getContext('2d');
    this.canvas.width = width * ratio;
    this.canvas.height = height * ratio;
    Object.assign(this.canvas.style, { width: `${width}px`, height: `${height}px` });
    context.scale(ratio, ratio);
    const colors = Array.from({ length: 7 }, (_, level) => style.getPropertyValue(`--heat-${level}`));
    const best = Math.min(...this.list.map((row) => number('us', row)));
    const slowest = [...this.list].sort((a, b) => number('us', b) - number('us', a));
    const stroke = (row, color, wide, alpha) => {
      Object.assign(context, { strokeStyle: color, lineWidth: wide, globalAlpha: alpha });
      context.beginPath();
      for (const spot of this.spots.get(row)) context.lineTo(...spot);
      context.stroke();
    };
    const many = this.list.length > 300;
    for (const row of slowest) if (!shown[row]) stroke(row, style.getPropertyValue('--grid'), 1, many ? 0.5 : 0.9);
    for (const row of slowest) {
      if (!shown[row]) continue;
      const level = Math.min(4, shadeOf(number('us', row) / best)); // paler ones would not be seen
      stroke(row, colors[level], level < 2 ? 1.8 : 1.1, many && level > 1 ? 0.55 : 0.95);
    }
    if (shown[this.part.winner] && this.spots.has(this.part.winner)) stroke(this.part.winner, style.getPropertyValue('--ink'), 2.5, 1);
  }

  draw() {
    super.draw();
    for (const [row, spots] of this.spots || []) this.point.set(row, spots[spots.length - 1]);
  }

  near(x, y) {
    if (!this.place) return -1;
    const at = this.upright ? 0 : 1, along = [x, y][at], other = [x, y][1 - at];
    const step = this.axesNow.length < 2 ? 1 : this.place(1, 0)[at] - this.place(0, 0)[at];
    const k = Math.max(0, Math.min(this.axesNow.length - 2, Math.floor((along - this.place(0, 0)[at]) / step)));
    let found = -1, nearest = 10;
    for (const [row, spots] of this.spots) {
      if (!shown[row] || !spots[k + 1]) continue;
      const part = Math.min(1, Math.max(0, (along - spots[k][at]) / step));
      const away = Math.abs(spots[k][1 - at] + part * (spots[k + 1][1 - at] - spots[k][1 - at]) - other);
      if (away < nearest) { nearest = away; found = row; }
    }
    return found;
  }

  axisAt(x, y) {
    if (!this.place) return -1;
    return this.axesNow.findIndex((_, k) => Math.abs((this.upright ? x : y) - this.place(k, 0)[this.upright ? 0 : 1]) < 14);
  }

  shareAt(x, y) {
    const low = this.place(0, 0), high = this.place(0, 1), at = this.upright ? 1 : 0;
    return Math.min(1, Math.max(0, ([x, y][at] - low[at]) / (high[at] - low[at])));
  }

  press(x, y) {
    const k = this.axisAt(x, y);
    this.drag = k < 0 ? null : { k, from: this.shareAt(x, y), to: this.shareAt(x, y) };
  }

  hover(event) {
    if (!this.svg) return;
    const [x, y] = this.spot(event);
    if (event.type === 'pointerdown') this.press(x, y);
    if (!this.drag || !event.buttons) { super.hover(event); return; }
    this.drag.to = this.shareAt(x, y);
    if (Math.abs(this.drag.to - this.drag.from) < 0.02) return;
    this.drag.moved = true;
    unpoint();
    this.svg.querySelector('.brush')?.remove();
    this.svg.insertAdjacentHTML('beforeend', `<g class="brush">${this.band(this.drag.k, this.drag.from, this.drag.to)}</g>`);
  }

  release() {
    const { drag } = this;
    this.drag = null;
    if (!drag || !drag.moved) return;
    this.dragged = true; // the click that follows means nothing
    const axis = this.axesNow[drag.k], low = Math.min(drag.from, drag.to), high = Math.max(drag.from, drag.to);
    const terms = axis.scale ? [`us>=${axis.scale.value(low).toPrecision(4)}`, `us<=${axis.scale.value(high).toPrecision(4)}`]
      : this.termsOf(axis, low, high);
    setFilter([...filter.value.split(/\s+/).filter((word) => word && termName(word) !== axis.name), ...terms].join(' '));
  }

  termsOf(axis, low, high) {
    const inside = axis.values.filter((_, at) => at / (axis.values.length - 1) >= low - 0.03 && at / (axis.values.length - 1) <= high + 0.03);
    if (!inside.length || inside.length === axis.values.length) return [];
    if (inside.length === 1) return [`${axis.name}=${inside[0]}`];
    const terms = [];
    if (inside[0] !== axis.values[0]) terms.push(`${axis.name}>=${inside[0]}`);
    if (inside[inside.length - 1] !== axis.values[axis.values.length - 1]) terms.push(`${axis.name}<=${inside[inside.length - 1]}`);
    return terms;
  }

  mark(row) {
    this.ring?.remove();
    this.ring = null;
    if (row < 0 || !this.svg || !this.spots?.has(row)) return;
    this.ring = document.createElementNS(svgNamespace, 'path');
    this.ring.setAttribute('class', 'ring');
    this.ring.setAttribute('d', 'M' + this.spots.get(row).map((spot) => spot.join(' ')).join('L'));
    this.svg.append(this.ring);
  }
}
