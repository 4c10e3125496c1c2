// What is pointed at, and putting it together.
const tip = byId('tip');
let pointed = -1;

function tipLines(row) {
  const lines = [];
  for (const key of ['problem', 'device']) if (columns.has(key)) lines.push(cell(key, row));
  const us = cell('us', row);
  lines.push(cell('status', row) + (us && us !== '-' ? `, ${us} us` : ''));
  const more = [];
  for (const [key, unit] of [['tflops', ' TFLOP/s'], ['gbs', ' GB/s'], ['roof', ' % of roof'], ['err', ' err/bound'],
    ['regs', ' registers'], ['smem', ' shared']]) {
    const text = cell(key, row);
    if (text && text !== '-') more.push(text + unit);
  }
  if (more.length) lines.push(more.join(', '));
  if (cell('message', row)) lines.push(cell('message', row));
  lines.push(`trial ${cell('trial', row)}, timed in: ${cell('stage', row) || '-'}`);
  return lines;
}

function pointAt(row, x, y) {
  if (row !== pointed) {
    tip.textContent = '';
    const name = document.createElement('b');
    name.textContent = labelOf(row);
    tip.append(name);
    for (const line of tipLines(row)) tip.append(document.createElement('br'), line);
    tip.dataset.trial = cell('trial', row);
    for (const plot of plots) plot.mark(row);
    for (const line of all('tr.here')) line.classList.remove('here');
    const line = byId('trials').querySelector(`tr[data-row="${row}"]`);
    if (line) line.classList.add('here');
    pointed = row;
  }
  tip.hidden = false;
  const box = tip.getBoundingClientRect();
  tip.style.left = Math.max(4, Math.min(x + 14, innerWidth - box.width - 8)) + 'px';
  tip.style.top = (y + 18 + box.height > innerHeight ? Math.max(4, y - box.height - 12) : y + 18) + 'px';
}

function unpoint() {
  if (pointed < 0) return;
  pointed = -1;
  tip.hidden = true;
  for (const plot of plots) plot.mark(-1);
  for (const line of all('tr.here')) line.classList.remove('here');
}

const filter = byId('filter'), matching = byId('matching');

function apply() {
  const { error, tests } = readFilter(filter.value);
  filter.setAttribute('aria-invalid', String(Boolean(error)));
  let count = 0;
  for (let row = 0; row < rows; ++row) {
    shown[row] = tests.every((test) => test(row)) ? 1 : 0;
    count += shown[row];
  }
  matching.textContent = error || `${count} of ${rows} trials`;
  unpoint();
  limit = data.rows;
  drawTable();
  followFilter(tests.length > 0);
  for (const plot of plots) {
    if (inSight.has(plot.box)) plot.draw();
    else plot.stale = true;
  }
}

// Whatever stands for a problem or for one trial: gone or faint when the filter leaves nothing of it.
function followFilter(filtered) {
  const counts = data.problems.map((part) => partRows(part).reduce((count, row) => count + shown[row], 0));
  for (const one of all('[data-of]')) one.classList.toggle('gone', filtered && !counts[one.dataset.of]);
  for (const one of all('.left')) one.textContent = filtered ? `${counts[one.dataset.part]} of ${data.problems[one.dataset.part].count} match` : '';
  for (const one of all('tr[data-trial]')) one.classList.toggle('faint', !shown[one.dataset.trial]);
}

function setFilter(text) {
  filter.value = text;
  apply();
}

const plots = [], inSight = new Set();
const watcher = new IntersectionObserver((entries) => {
  for (const entry of entries) {
    if (entry.isIntersecting) inSight.add(entry.target);
    else inSight.delete(entry.target);
    const plot = plots.find((one) => one.box === entry.target);
    if (entry.isIntersecting && plot.stale) plot.draw();
  }
}, { rootMargin: '200px' });
const drawings = { sorted: SortedTimes, parallel: Parallel, sweep: Sweep };
const resized = new ResizeObserver((entries) => {
  for (const entry of entries) {
    const plot = plots.find((one) => one.box === entry.target);
    if (plot.width === entry.target.clientWidth) continue;
    if (inSight.has(plot.box)) plot.draw();
    else plot.stale = true;
  }
});
for (const box of all('.plot')) {
  plots.push(new (drawings[box.dataset.draw] || Plot)(box));
  watcher.observe(box);
  if (box.dataset.draw) resized.observe(box);
}
for (const line of all('tr[data-trial]')) line.addEventListener('click', () => openDetail(Number(line.dataset.trial)));
byId('trials').addEventListener('click', (event) => {
  const line = event.target.closest('tr[data-row]');
  if (line && !String(getSelection())) openDetail(Number(line.dataset.row));
});

// A link to a problem unfolds it.
function unfold() {
  const target = location.hash.length > 1 && byId(decodeURIComponent(location.hash.slice(1)));
  for (let at = target; at; at = at.parentElement) if (at.tagName === 'DETAILS') at.open = true;
  if (target) target.scrollIntoView();
}
addEventListener('hashchange', unfold);
unfold();

for (const table of all('table.sortable')) {
  if (table === trials) sortable(table, sortTrials);
  else sortable(table, (at, direction) => sortRows(table, at, direction));
}
const usHead = all('th', trials)[data.columns.findIndex((column) => column.key === 'us')];
if (usHead && !columns.has('problem')) usHead.setAttribute('aria-sort', 'ascending');

let waiting = 0;
filter.addEventListener('input', () => {
  cancelAnimationFrame(waiting);
  waiting = requestAnimationFrame(apply);
});
filter.addEventListener('keydown', (event) => { if (event.key === 'Escape') setFilter(''); });
// Scrolling leaves the pointer behind, but what the keyboard is at moves along: focus itself may scroll.
addEventListener('scroll', () => {
  const plot = plots.find((one) => one.box === document.activeElement && one.byKeyboard && pointed >= 0);
  if (plot) plot.step(0);
  else unpoint();
}, { passive: true });

const themes = ['auto', 'light', 'dark'], theme = byId('theme');
theme.addEventListener('click', () => {
  const next = themes[(themes.indexOf(document.documentElement.dataset.theme || 'auto') + 1) % 3];
  if (next === 'auto') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = next;
  theme.textContent = `Theme: ${next}`;
  theme.setAttribute('aria-label', next === 'auto' ? 'theme: as the system' : `theme: ${next}`);
  redraw();
});

// What has its colours in it, not in the style sheet.
function redraw() {
  for (const plot of plots) if (plot.canvas) inSight.has(plot.box) ? plot.draw() : (plot.stale = true);
}
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redraw);

// What is folded would be missing on paper, and what was not drawn yet.
let themeOnScreen = null;
addEventListener('beforeprint', () => {
  themeOnScreen = document.documentElement.dataset.theme || 'auto';
  document.documentElement.dataset.theme = 'light';
  for (const details of all('details.problem')) details.open = true;
  for (const plot of plots) if (plot.stale || plot.canvas) plot.draw();
});
addEventListener('afterprint', () => {
  if (themeOnScreen === 'auto') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = themeOnScreen;
  redraw();
});

byId('bar').hidden = false;
drawTable();
document.documentElement.dataset.ready = 'true';
