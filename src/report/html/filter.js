// The filter: words that must all hold. `shown` has a 1 for every row that matches.
const compare = {
  '=': (a, b) => a === b, '!=': (a, b) => a !== b, '<': (a, b) => a < b,
  '<=': (a, b) => a <= b, '>': (a, b) => a > b, '>=': (a, b) => a >= b,
};
const parameterNames = new Set();
for (let row = 0; row < rows; ++row)
  for (const word of cell('configuration', row).split(' ')) if (word) parameterNames.add(word.split('=')[0]);

const parameter = (name, row) => {
  const text = ' ' + cell('configuration', row) + ' ';
  const at = text.indexOf(' ' + name + '=');
  return at < 0 ? null : Number(text.slice(at + name.length + 2, text.indexOf(' ', at + 1)));
};
const known = (name, names) => [...names].find((one) => one.toLowerCase() === name.toLowerCase());

// "BM" of "BM>=64"; of any other text nothing.
const termName = (word) => (/^-?([\w.]+)(<=|>=|!=|=|<|>|:)/.exec(word) || [])[1];

// A function of a row, or a text that says what is wrong.
function readTerm(word) {
  const parts = /^([\w.]+)(<=|>=|!=|=|<|>|:)(.*)$/.exec(word);
  if (!parts) {
    const wanted = word.toLowerCase();
    return (row) => (labelOf(row) + ' ' + cell('status', row) + ' ' + cell('problem', row) + ' ' +
      cell('message', row)).toLowerCase().includes(wanted);
  }
  const [, name, operator, value] = parts;
  const column = known(name, columns.keys()), ofConfiguration = known(name, parameterNames);
  if (!column && !ofConfiguration) return `no column or parameter ${name}`;
  if (operator === ':' || (column && !columns.get(column).value)) {
    const get = column ? (row) => cell(column, row) : (row) => String(parameter(ofConfiguration, row));
    const wanted = value.toLowerCase();
    if (operator === ':') return (row) => get(row).toLowerCase().includes(wanted);
    if (operator !== '=' && operator !== '!=') return `${name} is no number`;
    return (row) => compare[operator](get(row).toLowerCase(), wanted);
  }
  const limit = Number(value);
  if (value === '' || Number.isNaN(limit)) return `${name}${operator}: a number is wanted`;
  const get = column ? (row) => number(column, row) : (row) => parameter(ofConfiguration, row);
  return (row) => {
    const found = get(row);
    return found !== null && compare[operator](found, limit);
  };
}

function readFilter(text) {
  const tests = [];
  for (const word of text.trim().split(/\s+/).filter(Boolean)) {
    const turned = word.length > 1 && word[0] === '-';
    const test = readTerm(turned ? word.slice(1) : word);
    if (typeof test === 'string') return { error: test, tests: [] };
    tests.push(turned ? (row) => !test(row) : test);
  }
  return { error: '', tests };
}

const shown = new Uint8Array(rows).fill(1);
