// The rows of the table of trials. The files of this script share one scope, in the order of html/page.cpp.
// Everything they show is there without them: they filter, sort and name what is pointed at.
const byId = (id) => document.getElementById(id);
const all = (selector, root = document) => [...root.querySelectorAll(selector)];
const data = JSON.parse(byId('data').textContent);
const columns = new Map(data.columns.map((column) => [column.key, column]));
const rows = data.order.length;
const shades = [1.01, 1.05, 1.15, 1.4, 2, 4]; // of html/heat_map.cpp

const textOf = (column, row) => {
  if (column.text) return column.text[row];
  const value = column.value[row];
  return value === null ? '-' : String(value);
};
const cell = (key, row) => (columns.has(key) ? textOf(columns.get(key), row) : '');
const number = (key, row) => {
  const column = columns.get(key);
  return column && column.value ? column.value[row] : null;
};
const labelOf = (row) => (cell('variant', row) + ' ' + cell('configuration', row)).trim();
