// All configurations by their time, and rates over the shapes of a family.
const partRows = (part) => Array.from({ length: part.count }, (_, k) => part.first + k);
const timed = (row) => number('us', row) !== null && cell('status', row).startsWith('passed');
const fastestOf = (rowsOf) => rowsOf.filter(timed).sort((a, b) => number('us', a) - number('us', b));

class SortedTimes extends Drawn {
  picture(width) {
    const { part } = this, left = 58, right = width - 10, top = 40, bottom = 280;
    const list = fastestOf(partRows(part).filter((row) => shown[row]));
    if (!list.length) return this.frame(width, 60, textMark(8, 30, 'No trial that passed agrees with the filter.', 'dim'));
    const lines = [];
    if (part.library.length) lines.push([part.library[0].us, `${part.library[0].label.split(',')[0]} ${usText(part.library[0].us)} us`, 'library']);
    if (part.naive) lines.push([number('us', part.naive.row), `${part.naive.name} ${cell('us', part.naive.row).split(' ')[0]} us`, 'thin']);
    const y = scaleFor([...list.map((row) => number('us', row)), ...lines.map((line) => line[0])], bottom - 22, top, 1.5);
    const x = new Scale(list.length > 1 ? 1 : 0, Math.max(2, list.length), left + 8, right - 6, false);
    const own = [], rest = [], names = [];
    list.forEach((row, k) => (cell('variant', row) === part.searched ? own : rest).push([row, x.pixel(k + 1), y.pixel(number('us', row))]));
    let marks = yAxis(y, left, right, part.timeTitle) + xAxis(x, top, bottom, 'configurations, the fastest first');
    // Its name stands where the points are far from it: a slow one's above the fast points.
    const middle = number('us', list[list.length >> 1]);
    for (const [us, name, style] of lines) marks += namedLine(y, us, left, right, name, style, names, us > middle);
    marks += dotsMark('rest', rest) + dotsMark('own', own);
    if (shown[part.winner]) {
      const at = list.indexOf(part.winner);
      if (at >= 0) marks += dotsMark('chosen', [[part.winner, x.pixel(at + 1), y.pixel(number('us', part.winner))]]);
    }
    const beaten = part.library.length ? list.filter((row) => number('us', row) < part.library[0].us).length : -1;
    this.note(beaten < 0 ? '' : `${beaten} of ${list.length} are faster than the library.`);
    return this.frame(width, bottom + 46, marks);
  }
}

// One family at several shapes: what the winners reach, the library, the ladder's first rung and the roof.
class Sweep extends Drawn {
  constructor(box) {
    super(box);
    this.sweep = data.sweeps[box.dataset.sweep];
  }

  picture(width) {
    const { sweep } = this, left = 58, right = width - 14, top = 40, bottom = 300;
    const parts = sweep.parts.map((at) => data.problems[at]);
    const rate = (part, us) => (us > 0 ? part[sweep.work] / us / (sweep.work === 'bytes' ? 1e3 : 1e6) : 0);
    const best = (part) => (shown[part.best] ? part.best : fastestOf(partRows(part).filter((row) => shown[row]))[0]);
    const series = [
      { name: 'roof', style: 'roof', of: (part) => rate(part, part.roofUs) },
      { name: 'library', style: 'library', of: (part) => (part.library.length ? rate(part, part.library[0].us) : 0) },
      { name: 'first rung', style: 'thin', of: (part) => (part.naive ? rate(part, number('us', part.naive.row)) : 0) },
      { name: 'winner', style: 'best', of: (part) => { const row = best(part); return row === undefined ? 0 : rate(part, number('us', row)); } },
    ];
    for (const one of series) one.points = parts.map((part, k) => [sweep.x[k], one.of(part), part]).filter((point) => point[1] > 0);
    const x = scaleFor(sweep.x, left + 12, right - 76, 3), y = scaleFor(series.flatMap((one) => one.points.map((point) => point[1])), bottom - 8, top, 4);
    x.ticks = () => sweep.x;
    let marks = yAxis(y, left, x.to, sweep.work === 'bytes' ? 'GB/s' : 'TFLOP/s') + xAxis(x, top, bottom, sweep.axis);
    const names = [];
    for (const one of series.filter((each) => each.points.length)) {
      const places = one.points.map(([at, value]) => [x.pixel(at), y.pixel(value)]);
      marks += `<path class="${one.style} series" d="M${places.map((place) => place.map((v) => v.toFixed(1)).join(' ')).join('L')}"/>`;
      if (one.name === 'winner') marks += dotsMark('chosen', one.points.map((point, k) => [best(point[2]), ...places[k]]));
      names.push([one, places[places.length - 1]]);
    }
    names.sort((a, b) => a[1][1] - b[1][1]); // pixels: the highest first, and none upon another
    let last = -Infinity;
    for (const [one, [at, height]] of names) {
      last = Math.max(last + 14, height + 4);
      marks += textMark(at + 10, last, one.name, one.style === 'library' ? 'warm' : one.name === 'winner' ? 'strong' : 'dim');
    }
    return this.frame(width, bottom + 46, marks);
  }
}
