// A configuration beside the winner of its problem: what differs, where its instructions are, how to run it again.
const detail = byId('detail');
const partOf = (row) => data.problems.find((part) => row >= part.first && row < part.first + part.count);
const element = (name, text = '', style = '') => {
  const node = document.createElement(name);
  node.textContent = text;
  if (style) node.className = style;
  return node;
};

// rows: [name, this, winner's, differs]
function besideWinner(head, lines) {
  const table = element('table'), top = table.createTHead().insertRow(), body = table.createTBody();
  table.append(element('caption', head[0]));
  for (const text of ['', ...head.slice(1)]) top.append(element('th', text));
  for (const [name, own, best, differs] of lines) {
    const line = body.insertRow();
    line.append(element('td', name), element('td', own, differs ? 'differs' : ''));
    if (head.length > 2) line.append(element('td', best));
  }
  return table;
}

function configurationTable(row, winner) {
  const names = new Map();
  for (const one of winner === null || winner === row ? [row] : [row, winner])
    for (const word of cell('configuration', one).split(' ')) if (word) names.set(word.split('=')[0], true);
  const value = (name, one) => { const found = parameter(name, one); return found === null ? '-' : String(found); };
  if (winner === null || winner === row) return besideWinner(['Configuration', 'value'], [...names.keys()].map((name) => [name, value(name, row)]));
  const lines = [['variant', cell('variant', row), cell('variant', winner)], ...[...names.keys()].map((name) => [name, value(name, row), value(name, winner)])];
  const differing = lines.filter((line) => line[1] !== line[2]);
  const table = besideWinner(['What differs from the winner', 'this', 'winner'], differing.map((line) => [...line, true]));
  const same = lines.filter((line) => line[1] === line[2] && line[0] !== 'variant').map((line) => `${line[0]}=${line[1]}`);
  const group = element('div');
  group.append(differing.length ? table : element('p', 'The same configuration as the winner: another source, toolchain or option.'));
  if (same.length) group.append(element('p', `The same in both: ${same.join(' ')}`, 'dim'));
  return group;
}

function figuresTable(row, winner) {
  const keys = ['us', 'tflops', 'gbs', 'roof', 'regs', 'spill', 'smem', 'err'].filter((key) => columns.has(key));
  const told = (key, one) => cell(key, one) || '-';
  const alone = winner === null || winner === row;
  const lines = keys.filter((key) => told(key, row) !== '-' || (!alone && told(key, winner) !== '-'))
    .map((key) => [columns.get(key).title, told(key, row), alone ? '' : told(key, winner), false]);
  const ratio = alone ? 0 : number('us', row) / number('us', winner);
  if (ratio > 0) lines.unshift(['time over the winner\u2019s', ratio.toFixed(3), '1', false]);
  return besideWinner(alone ? ['Figures', ''] : ['Figures', 'this', 'winner'], lines);
}

function sourceTable(row) {
  const source = data.sources[row];
  if (!source) {
    const text = element('p', 'Not counted in this report. ', 'dim');
    const inspect = partOf(row).bench.replace('kerlab bench', 'kerlab inspect').replace('--trial ', '');
    text.append(element('code', inspect + cell('trial', row)), ' counts them now, ',
      element('code', 'kerlab report --lines 3'), ' those of the best three of each problem.');
    return text;
  }
  if (source.note && !source.lines.length) return element('p', source.note, 'dim');
  const box = element('div', '', 'scroll'), table = element('table'), top = table.createTHead().insertRow(), body = table.createTBody();
  table.append(element('caption', 'Source lines by cost'));
  for (const text of ['share', 'line', 'source']) top.append(element('th', text));
  for (const [share, place, code, more] of source.lines) {
    const line = body.insertRow(), bar = element('span', '', 'bar'), fill = element('i');
    fill.style.width = `${Math.min(100, 100 * share / source.lines[0][0])}%`;
    bar.append(fill);
    const first = line.insertCell();
    first.append(bar, `${(100 * share).toFixed(share < 0.1 ? 1 : 0)} %`);
    line.append(element('td', place));
    const last = line.insertCell();
    last.append(element('code', code));
    if (more) last.append(element('span', more, 'dim more'));
  }
  box.append(table);
  const group = element('div');
  group.append(element('p', `Share of the warp instructions, counted on ${source.device}${source.note ? `; ${source.note}` : ''}.`, 'dim'), box);
  return group;
}

function commandLine(row) {
  const box = element('p', '', 'command'), code = element('code', partOf(row).commands[row] || partOf(row).bench + cell('trial', row));
  const button = element('button', 'Copy');
  button.type = 'button';
  button.addEventListener('click', () => {
    const done = () => { button.textContent = 'Copied'; };
    const select = () => { getSelection().selectAllChildren(code); if (document.execCommand('copy')) done(); };
    if (navigator.clipboard) navigator.clipboard.writeText(code.textContent).then(done, select);
    else select();
  });
  box.append(code, button);
  return box;
}

let detailed = -1, openedFrom = null;
function openDetail(row) {
  if (row < 0) return;
  if (detailed < 0) openedFrom = document.activeElement;
  detailed = row;
  const part = partOf(row), head = element('div', '', 'head'), close = element('button', 'Close');
  close.type = 'button';
  close.addEventListener('click', closeDetail);
  head.append(element('h2', cell('variant', row)), close);
  const facts = element('p', `${part.title}, ${part.device}. Trial ${cell('trial', row)}: ${cell('status', row)}${cell('message', row) ? `. ${cell('message', row)}` : ''}`, 'dim');
  detail.replaceChildren(head, facts, element('h3', part.winner === row ? 'Configuration of the winner' : 'Against the winner'),
    configurationTable(row, part.winner), figuresTable(row, part.winner), element('h3', 'To run it again'), commandLine(row),
    element('h3', 'Source lines by cost'), sourceTable(row));
  const only = element('button', 'Show only this trial');
  only.type = 'button';
  only.addEventListener('click', () => setFilter(`trial=${cell('trial', row)}`));
  detail.append(only);
  detail.hidden = false;
  detail.scrollTop = 0;
  document.documentElement.classList.add('with-detail');
  close.focus({ preventScroll: true });
}

function closeDetail() {
  if (detailed < 0) return;
  detailed = -1;
  detail.hidden = true;
  document.documentElement.classList.remove('with-detail');
  openedFrom?.focus?.({ preventScroll: true });
}
detail.addEventListener('keydown', (event) => { if (event.key === 'Escape') closeDetail(); });
