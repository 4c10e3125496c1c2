// Plots. Positions come from the drawings themselves: a path with data-i has a point "Mx yh0" for each row in it.
const svgNamespace = 'http://www.w3.org/2000/svg';
const numbersOf = (text) => (text ? text.split(' ').map(Number) : []);

function readPath(path) {
  const places = path.getAttribute('d').split('M').slice(1).map((one) => one.slice(0, -2).split(' ').map(Number));
  return { path, index: numbersOf(path.dataset.i), places, text: path.getAttribute('d').split('M').slice(1) };
}

function bestLine(line, paths) {
  const points = [];
  for (const one of paths) {
    if (one.path.classList.contains('failed')) continue;
    one.index.forEach((row, k) => { if (shown[row]) points.push(one.places[k]); });
  }
  points.sort((a, b) => a[0] - b[0]);
  let d = '', best = -1;
  for (const [x, y] of points) {
    if (y <= best) continue; // pixels: lower is faster
    best = y;
    d += d ? `H${x}V${y}` : `M${x} ${y}`;
  }
  line.setAttribute('d', d && d + `H${line.dataset.right}`);
}

const shadeOf = (ratio) => shades.filter((end) => ratio * (1 - 1e-9) >= end).length;

function shade(group, best) {
  const rect = group.querySelector('rect'), text = group.querySelector('text');
  const here = numbersOf(group.dataset.cell).filter((row) => shown[row]).map(seen).filter((us) => us > 0);
  if (!here.length) {
    rect.setAttribute('class', 'cell none');
    text.textContent = '';
    return;
  }
  const ratio = Math.min(...here) / best;
  const level = shadeOf(ratio);
  rect.setAttribute('class', `cell h${level}`);
  text.setAttribute('class', `t${level}`);
  text.textContent = Number(rect.getAttribute('width')) < 30 ? '' : ratio.toFixed(2);
}
const seen = (row) => number('screened', row) ?? number('us', row) ?? 0;

// A bar that counts rows, with its number behind it.
function readBar(group) {
  const rect = group.querySelector('rect');
  return { rect, text: group.querySelector('text'), rows: numbersOf(group.dataset.bar), left: Number(rect.getAttribute('x')), full: Number(rect.getAttribute('width')) };
}

function drawBar({ rect, text, rows: of, left, full }) {
  const count = of.filter((row) => shown[row]).length, long = count && Math.max(1.5, (full * count) / of.length);
  rect.setAttribute('width', long);
  text.setAttribute('x', left + long + 8);
  text.textContent = count === of.length ? count : `${count} of ${of.length}`;
}

class Plot {
  constructor(box) {
    this.box = box;
    this.stale = false;
    this.current = -1;
    this.read();
    if (this.paths.length || box.dataset.draw) this.listen();
  }

  // What can be pointed at and filtered, from the drawing as it stands.
  read() {
    this.svg = this.box.querySelector('svg');
    this.paths = this.svg ? all('path[data-i]', this.svg).map(readPath) : [];
    this.line = this.svg?.querySelector('path.best[data-right]');
    this.cells = this.svg ? all('[data-cell]', this.svg) : [];
    this.groups = this.svg ? all('[data-row]', this.svg) : [];
    this.bars = this.svg ? all('[data-bar]', this.svg).map(readBar) : [];
    this.point = new Map();
    for (const path of this.paths)
      path.index.forEach((row, k) => { if (!this.point.has(row)) this.point.set(row, path.places[k]); });
  }

  listen() {
    this.box.tabIndex = 0;
    this.box.setAttribute('role', 'group');
    this.box.setAttribute('aria-roledescription', 'plot');
    const title = this.box.dataset.title || this.svg.querySelector('title').textContent;
    this.box.setAttribute('aria-label', title + ': arrow keys go from trial to trial');
    for (const kind of ['pointermove', 'pointerdown']) this.box.addEventListener(kind, (event) => this.hover(event));
    this.box.addEventListener('click', (event) => this.click(event));
    this.box.addEventListener('pointerleave', () => unpoint());
    this.box.addEventListener('focus', () => { if (this.box.matches(':focus-visible')) this.step(0); });
    this.box.addEventListener('blur', () => unpoint());
    this.box.addEventListener('keydown', (event) => this.key(event));
  }

  click(event) {
    this.hover(event); // what had the focus before may have forgotten it
    if (!this.dragged && pointed >= 0) openDetail(pointed);
    this.dragged = false;
  }

  visible() {
    const list = [];
    for (const row of data.order) if (shown[row] && this.point.has(row)) list.push(row);
    return list;
  }

  key(event) {
    const steps = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1, Home: -Infinity, End: Infinity };
    if (event.key in steps) {
      event.preventDefault();
      this.step(steps[event.key]);
    } else if (event.key === 'Enter' && this.current >= 0) {
      event.preventDefault(); // or it presses the button that gets the focus
      openDetail(this.current);
    } else if (event.key === 'Escape') {
      if (detailed >= 0) closeDetail();
      else setFilter('');
    }
  }

  step(by) {
    if (!this.svg) return;
    const list = this.visible();
    if (!list.length) return;
    const at = Math.max(0, list.indexOf(this.current));
    this.current = list[Math.min(list.length - 1, Math.max(0, at + by))];
    this.byKeyboard = true;
    const frame = this.svg.getBoundingClientRect(), scale = frame.width / this.svg.viewBox.baseVal.width;
    const [x, y] = this.point.get(this.current);
    pointAt(this.current, frame.left + x * scale, frame.top + y * scale);
  }

  // Where an event is, in the drawing.
  spot(event) {
    const frame = this.svg.getBoundingClientRect(), scale = frame.width / this.svg.viewBox.baseVal.width;
    return [(event.clientX - frame.left) / scale, (event.clientY - frame.top) / scale];
  }

  near(x, y) {
    let found = -1, nearest = 18 * 18;
    for (const path of this.paths) {
      for (let k = 0; k < path.index.length; ++k) {
        if (!shown[path.index[k]]) continue;
        const dx = path.places[k][0] - x, dy = path.places[k][1] - y, distance = dx * dx + dy * dy;
        if (distance < nearest) { nearest = distance; found = path.index[k]; }
      }
    }
    return found;
  }

  hover(event) {
    if (!this.svg) return;
    this.byKeyboard = false;
    const found = this.near(...this.spot(event));
    if (found < 0) unpoint();
    else { this.current = found; pointAt(found, event.clientX, event.clientY); }
  }

  // Only what is in sight is drawn at once; the rest when it comes into sight.
  draw() {
    this.stale = false;
    for (const one of this.paths)
      one.path.setAttribute('d', one.index.reduce((d, row, k) => (shown[row] ? d + 'M' + one.text[k] : d), ''));
    if (this.line) bestLine(this.line, this.paths);
    if (this.cells.length) {
      const of = this.cells.flatMap((group) => numbersOf(group.dataset.cell));
      const best = Math.min(...of.map(seen).filter((us) => us > 0));
      for (const group of this.cells) shade(group, best);
    }
    this.bars.forEach(drawBar);
    for (const group of this.groups) group.classList.toggle('faint', !shown[Number(group.dataset.row)]);
  }

  mark(row) {
    if (this.ring) this.ring.remove();
    this.ring = null;
    if (row < 0 || !this.svg || !this.point.has(row)) return;
    const [x, y] = this.point.get(row);
    this.ring = document.createElementNS(svgNamespace, 'circle');
    for (const [name, value] of Object.entries({ cx: x, cy: y, r: 7, class: 'ring' })) this.ring.setAttribute(name, value);
    this.svg.append(this.ring);
  }
}

// Drawn here, from the trials, for the width that there is: a `picture(width)` makes the drawing.
class Drawn extends Plot {
  constructor(box) {
    super(box);
    this.part = data.problems[box.dataset.part];
    this.stale = true;
  }

  frame(width, height, marks) {
    const { id } = this.box.closest('figure'), { title, description } = this.box.dataset;
    return `<svg class="drawing" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" ` +
      `aria-labelledby="${id}-title ${id}-desc"><title id="${id}-title">${escaped(title)}</title>` +
      `<desc id="${id}-desc">${escaped(description)}</desc>${marks}</svg>`;
  }

  // A sentence behind the caption that follows from what is shown.
  note(text) {
    this.box.closest('figure').querySelector('.said').textContent = text && ` ${text}`;
  }

  draw() {
    const width = this.box.clientWidth;
    this.stale = width === 0; // folded
    if (this.stale) return;
    this.width = width;
    this.svg?.remove();
    this.box.insertAdjacentHTML('beforeend', this.picture(width));
    this.read();
  }
}
