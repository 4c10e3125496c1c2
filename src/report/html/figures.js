// Roofline, accuracy and finalists. `--svg` has the same as files, drawn by roofline_figure.cpp and its neighbours.
function fitted(text, width) {
  let length = text.length;
  while (length > 1 && textWidth(text.slice(0, length)) > width - (length < text.length ? 12 : 0)) --length;
  return length < text.length ? text.slice(0, length) + '\u2026' : text;
}
// -0.5 to 0.5, the same for the same row every time: spreads dots that would lie on one another.
const spread = (row) => (row * 0.6180339887498949) % 1 - 0.5;

// Problems of one kind of device under its roofs.
class Roofline extends Drawn {
  picture(width) {
    const parts = this.box.dataset.parts.split(' ').map((at) => data.problems[at]).filter((part) => part.peak > 0 && part.flops > 0);
    const left = 58, right = width - 14, top = 40, bottom = Math.min(430, 220 + width / 5);
    const dots = { rest: [], own: [], chosen: [] }, rates = [], intensities = parts.map((part) => part.flops / part.bytes);
    const bandwidth = parts[0].bandwidth, pipes = new Map();
    for (const part of parts) pipes.set(part.peak, [...new Set([...(pipes.get(part.peak) || []), part.pipe])]);
    const most = Math.max(...pipes.keys()), ridges = [...pipes.keys()].map((peak) => peak / bandwidth);
    for (const part of parts)
      for (const row of partRows(part).filter((one) => shown[one] && timed(one))) rates.push(part.flops / number('us', row) * 1e6);
    const x = scaleFor([...intensities, ...ridges.map((ridge) => 2 * ridge), Math.min(...intensities) / 2], left + 4, right - 4, 1);
    const y = scaleFor([...rates, most, bandwidth * x.low], bottom - 4, top, 1);
    parts.forEach((part, k) => {
      for (const row of partRows(part).filter((one) => shown[one] && timed(one))) {
        const kind = row === part.winner ? 'chosen' : cell('variant', row) === part.searched ? 'own' : 'rest';
        dots[kind].push([row, x.pixel(intensities[k]) + (kind === 'chosen' ? 0 : 10 * spread(row)), y.pixel(part.flops / number('us', row) * 1e6)]);
      }
    });
    let marks = yAxis(y, left, right, 'FLOP/s') + xAxis(x, top, bottom, 'arithmetic intensity, FLOP per byte');
    const from = Math.max(x.low, y.low / bandwidth), names = [];
    let pipeNames = '';
    marks += lineMark(x.pixel(from), y.pixel(from * bandwidth), x.pixel(Math.max(...ridges)), y.pixel(most), 'roof');
    for (const [peak, labels] of [...pipes].sort((a, b) => b[0] - a[0])) {
      let text = y.pixel(peak) - 6;
      while (names.some((other) => Math.abs(other - text) < 14)) text += 15;
      names.push(text);
      marks += lineMark(x.pixel(peak / bandwidth), y.pixel(peak), right, y.pixel(peak), 'roof');
      pipeNames += textMark(right - 4, text, `${labels.join(', ')} ${tickText(Number(peak.toPrecision(3)))}FLOP/s`, 'ink halo', 'end');
    }
    marks += Object.entries(dots).map(([kind, list]) => dotsMark(kind, list)).join('') + pipeNames;
    this.note(`Memory: ${tickText(Number(bandwidth.toPrecision(3)))}B/s; roofs are the data sheet\u2019s.`);
    return this.frame(width, bottom + 46, marks);
  }
}

// By variant the largest error of each trial over its bound.
class Accuracy extends Drawn {
  picture(width) {
    const above = width < 620, left = above ? 16 : 150, right = width - 24, top = 40, line = above ? 54 : 40;
    const ratio = (row) => { const value = number('err', row); return value === null ? 100 : Math.min(100, Math.max(1e-6, value)); };
    const byVariant = new Map();
    for (const row of partRows(this.part)) {
      if (!shown[row] || (number('err', row) === null && cell('err', row) !== 'not finite')) continue;
      if (!byVariant.has(cell('variant', row))) byVariant.set(cell('variant', row), []);
      byVariant.get(cell('variant', row)).push(row);
    }
    const variants = [...byVariant.keys()].sort().slice(0, 16);
    if (!variants.length) return this.frame(width, 60, textMark(8, 30, 'No checked trial agrees with the filter.', 'dim'));
    const bottom = top + line * variants.length, checked = variants.flatMap((variant) => byVariant.get(variant));
    const x = scaleFor([1, ...checked.map(ratio)], left, right, 4), passed = [], failed = [];
    let marks = xAxis(x, top, bottom, 'largest error / bound') + lineMark(x.pixel(1), top, x.pixel(1), bottom, 'bound') +
      textMark(x.pixel(1), top - 10, 'bound', 'ink', x.pixel(1) > right - 30 ? 'end' : 'middle');
    variants.forEach((variant, k) => {
      const middle = top + line * k + (above ? 36 : line / 2);
      marks += above ? textMark(4, top + line * k + 14, fitted(variant, width - 8), 'ink halo') : textMark(left - 12, middle + 4, fitted(variant, left - 14), 'ink', 'end');
      for (const row of byVariant.get(variant))
        (cell('status', row).startsWith('passed') ? passed : failed).push([row, x.pixel(ratio(row)), middle + 24 * spread(row)]);
    });
    return this.frame(width, bottom + 46, marks + dotsMark('own', passed) + dotsMark('failed', failed));
  }
}

// How many trials ended how.
class Endings extends Drawn {
  picture(width) {
    const counts = new Map(), left = 130, line = 28, top = 10;
    for (const row of partRows(this.part)) {
      const status = cell('status', row).split(',')[0], [count, of] = counts.get(status) || [0, 0];
      counts.set(status, [count + shown[row], of + 1]);
    }
    const list = [...counts].sort((a, b) => (b[0] === 'passed') - (a[0] === 'passed') || b[1][1] - a[1][1]);
    const unit = (width - left - 130) / Math.max(...list.map((one) => one[1][1]));
    const marks = list.map(([status, [count, of]], k) => {
      const long = count ? Math.max(1.5, count * unit) : 0, y = top + line * k;
      return textMark(left - 12, y + 15, status, 'ink', 'end') +
        `<rect class="bar${status === 'passed' ? '' : ' bad'}" x="${left}" y="${y + 3}" width="${long.toFixed(1)}" height="${line - 10}"/>` +
        textMark(left + long + 8, y + 16, count === of ? count : `${count} of ${of}`, 'dim');
    });
    return this.frame(width, top + line * list.length + 8, marks.join(''));
  }
}

// Samples side by side: dots, the middle half, the median and its interval.
class Finalists extends Drawn {
  picture(width) {
    const left = 16, right = width - 16, top = 8, two = width < 620, line = two ? 78 : 60;
    const quantile = (sorted, share) => {
      const at = share * (sorted.length - 1), k = Math.floor(at);
      return sorted[k] + (at - k) * ((sorted[k + 1] ?? sorted[k]) - sorted[k]);
    };
    const list = this.part.finalists.map((one) => ({ ...one, sorted: [...one.samples].sort((a, b) => a - b) }));
    for (const time of this.part.library) list.push({ row: -1, name: `${time.label} (its samples are not stored)`, us: time.us, low: time.low, high: time.high, samples: [], sorted: [], told: `${usText(time.us)} us` });
    const x = scaleFor(list.flatMap((one) => [one.low, one.high, ...(one.sorted.length ? [quantile(one.sorted, 0.02), quantile(one.sorted, 0.98)] : [])]), left, right, 1e9);
    const bottom = top + line * list.length, dots = [];
    let marks = xAxis(x, top, bottom, this.part.timeTitle);
    list.forEach((one, k) => {
      const up = top + line * k, middle = up + line - 21, name = one.row < 0 ? one.name : `${one.row === this.part.winner ? 'winner' : k + 1}  ${labelOf(one.row)}`;
      const told = one.told || `${cell('us', one.row)} us`, room = right - left - (two ? 0 : textWidth(told) + 16);
      let group = textMark(left, up + 16, fitted(name, one.row === this.part.winner ? 0.9 * room : room), `${one.row === this.part.winner ? 'strong' : 'ink'} halo`);
      group += two ? textMark(left, up + 33, told, 'dim halo') : textMark(right, up + 16, told, 'dim halo', 'end');
      if (one.sorted.length >= 4) {
        const from = x.pixel(quantile(one.sorted, 0.25)), to = x.pixel(quantile(one.sorted, 0.75));
        group += `<rect class="box" x="${from.toFixed(1)}" y="${middle - 9}" width="${Math.max(1, to - from).toFixed(1)}" height="18"/>`;
      }
      group += dotsMark('sample', one.samples.map((us, i) => [one.row, x.pixel(us), middle + 16 * spread(i)]));
      group += lineMark(x.pixel(one.low), middle, Math.max(x.pixel(one.high), x.pixel(one.low) + 2), middle, one.row < 0 ? 'interval library' : 'interval');
      group += lineMark(x.pixel(one.us), middle - 11, x.pixel(one.us), middle + 11, 'median');
      marks += one.row < 0 ? group : `<g class="${shown[one.row] ? '' : 'faint'}">${group}</g>`;
    });
    return this.frame(width, bottom + 46, marks);
  }
}
