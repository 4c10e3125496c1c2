// Tables that sort, and the table of trials, of which only so many rows are there at once.
// Of a text its number, if it begins with one: "291.4 [290,293]".
const leading = (text) => (/^[-+]?[\d.]/.test(text) ? parseFloat(text) : NaN);

function ordered(a, b, direction) { // what is not there comes last, whatever the direction
  const empty = (value) => value === null || value === '' || value === '-' || Number.isNaN(value);
  if (empty(a) || empty(b)) return empty(a) - empty(b);
  return direction * (typeof a === 'number' ? a - b : String(a).localeCompare(String(b), undefined, { numeric: true }));
}

// Turns the heads of a table into buttons; `sort` is told the column and 1 or -1.
function sortable(table, sort) {
  all('th', table).forEach((head, at, heads) => {
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = head.textContent;
    head.textContent = '';
    head.append(button);
    button.addEventListener('click', () => {
      const direction = head.getAttribute('aria-sort') === 'ascending' ? -1 : 1;
      for (const other of heads) other.removeAttribute('aria-sort');
      head.setAttribute('aria-sort', direction > 0 ? 'ascending' : 'descending');
      sort(at, direction);
    });
  });
}

function sortRows(table, at, direction) {
  const body = table.tBodies[0];
  const keyed = [...body.rows].map((row) => {
    const text = row.cells[at].textContent, value = leading(text);
    return { row, key: Number.isNaN(value) ? text : value };
  });
  const mixed = keyed.some((one) => typeof one.key === 'string' && one.key !== '' && one.key !== '-');
  if (mixed) for (const one of keyed) one.key = one.row.cells[at].textContent;
  keyed.sort((a, b) => ordered(a.key, b.key, direction));
  body.append(...keyed.map((one) => one.row));
}

const trials = byId('trials').querySelector('table');
let order = [...data.order], limit = data.rows;

function drawTable() {
  const body = document.createElement('tbody');
  let count = 0, more = 0;
  for (const row of order) {
    if (!shown[row]) continue;
    if (count === limit) { ++more; continue; }
    ++count;
    const line = body.insertRow();
    line.dataset.row = row;
    for (const column of data.columns) {
      const one = line.insertCell();
      one.textContent = textOf(column, row);
      if (column.numeric) one.className = 'number';
    }
  }
  trials.tBodies[0].replaceWith(body);
  drawMore(more);
}

function drawMore(more) {
  const place = byId('more');
  if (!place) return;
  place.textContent = '';
  if (!more) return;
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = `Show ${Math.min(more, 400)} of ${more} more`;
  button.addEventListener('click', () => { limit += 400; drawTable(); });
  place.append(button);
}

function sortTrials(at, direction) {
  const column = data.columns[at];
  const key = column.value ? (row) => column.value[row] : (row) => column.text[row];
  order = [...data.order].sort((a, b) => ordered(key(a), key(b), direction));
  drawTable();
}
