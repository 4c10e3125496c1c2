// Whatever text of the page is cut, leaves the page, or lies on other text: a list of what is wrong, at most 20.
const faults = [];
const say = (what, text) => { if (faults.length < 20) faults.push(`${what}: ${String(text).trim().slice(0, 60)}`); };
if (document.documentElement.scrollWidth > innerWidth) say('the page scrolls sideways', document.documentElement.scrollWidth);

const inside = (box, frame) => box.left >= frame.left - 1.5 && box.right <= frame.right + 1.5 && box.top >= frame.top - 1.5 && box.bottom <= frame.bottom + 1.5;
const common = (a, b) => Math.min(Math.min(a.right, b.right) - Math.max(a.left, b.left), Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top));
const apart = (texts, slack) => {
  texts.sort((a, b) => a.box.top - b.box.top);
  texts.forEach((one, i) => {
    for (let k = i + 1; k < texts.length && texts[k].box.top < one.box.bottom; ++k)
      if (common(one.box, texts[k].box) > slack) say('one text on another', `${one.text} | ${texts[k].text}`);
  });
};

for (const svg of document.querySelectorAll('svg.drawing')) {
  const frame = svg.getBoundingClientRect();
  if (!frame.width) continue;
  const texts = [...svg.querySelectorAll('text')].filter((one) => one.textContent)
    .map((one) => ({ text: one.textContent, box: one.getBoundingClientRect() }));
  for (const one of texts) if (!inside(one.box, frame)) say('cut by its drawing', `${svg.querySelector('title').textContent} | ${one.text}`);
  apart(texts, 2.5);
}

// What may be scrolled is seen in parts; its text counts as far as it shows.
const scroller = (node) => {
  for (let at = node.parentElement; at; at = at.parentElement)
    if (/auto|scroll/.test(getComputedStyle(at).overflowX)) return at;
  return null;
};
const texts = [], walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (walk.nextNode()) {
  const node = walk.currentNode, parent = node.parentElement;
  if (!node.textContent.trim() || parent.closest('svg, script, style, caption, .skip, [hidden], #trials tr:nth-child(n+30)')) continue;
  if (!parent.checkVisibility({ visibilityProperty: true })) continue; // folded, or not shown
  const range = document.createRange(), view = scroller(node)?.getBoundingClientRect();
  range.selectNodeContents(node);
  for (const box of range.getClientRects()) {
    if (box.width < 1) continue;
    if (!view && box.right > innerWidth + 1) say('leaves the page', node.textContent);
    const shown = view ? { left: Math.max(box.left, view.left), right: Math.min(box.right, view.right), top: box.top, bottom: box.bottom } : box;
    if (!parent.closest('#bar, #detail, #tip')) texts.push({ text: node.textContent, box: shown }); // these lie above the page
  }
  for (let at = parent; at && at !== document.body; at = at.parentElement) {
    const style = getComputedStyle(at);
    if (style.overflowX === 'hidden' && style.position !== 'absolute' && at.scrollWidth > at.clientWidth + 1) say('cut', node.textContent);
  }
}
apart(texts, 3);
return faults;
