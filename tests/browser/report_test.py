#!/usr/bin/env python3
"""A report of 4900 trials in a headless browser: report_test.py KERLAB MAKE_DATABASE [--figures]

Skipped, with exit code 77, where chromium or chromedriver is not installed. --figures prints what was timed; nothing that
is timed fails the test. KERLAB_SCREENSHOTS=DIR keeps pictures of the page."""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from webdriver import DOWN, ENTER, ESCAPE, TAB, Browser, missing  # noqa: E402

TRIALS = 4900  # of the 4,972 that the fixture finds in what a tune of gemm tries by default
figures = {}
failures = []


def check(what, holds, saw=""):
    print(("ok    " if holds else "FAILED") + f" {what}" + ("" if holds else f": {saw!r}"))
    if not holds:
        failures.append(what)


def picture(browser, name):
    folder = os.environ.get("KERLAB_SCREENSHOTS")
    if folder:
        pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
        (pathlib.Path(folder) / f"{name}.png").write_bytes(browser.screenshot())


def write_report(kerlab, make_database, folder):
    database, page = folder / "made-up.db", folder / "report.html"
    subprocess.run([make_database, database, str(TRIALS)], check=True)
    started = time.monotonic()
    subprocess.run([kerlab, "report", "--db", database, "-o", page], check=True, stdout=subprocess.DEVNULL)
    figures["write"] = f"{time.monotonic() - started:.2f} s"
    figures["size"] = f"{page.stat().st_size / 1e6:.2f} MB"
    check("at most 5 MB", page.stat().st_size <= 5_000_000, page.stat().st_size)
    return page


def opens(browser, page):
    browser.open(page)
    check("the script ran to its end", browser.script("return document.documentElement.dataset.ready") == "true")
    timing = browser.script("const t = performance.getEntriesByType('navigation')[0];"
                            "return [t.domInteractive, t.domContentLoadedEventEnd, t.loadEventEnd]")
    figures["interactive"] = f"{timing[1]:.0f} ms (parsed, and the script has run), load ends at {timing[2]:.0f} ms"
    errors = [entry["message"] for entry in browser.log("browser")]
    check("nothing on the console", errors == [], errors)
    messages = [json.loads(entry["message"])["message"] for entry in browser.log("performance")]
    asked = [message["params"]["request"]["url"] for message in messages
             if message["method"] == "Network.requestWillBeSent"]
    begun = [url.startswith("file:") for url in asked].index(True)  # before it the browser's own first page
    left = [url for url in asked[begun:] if not url.startswith(("file:", "data:"))]
    check("no request leaves the page", left == [], left)
    browser.keys(TAB)
    check("the first stop of the keyboard leads to the content",
          browser.script("return document.activeElement.className") == "skip")


def static_rows(page):
    """The table of trials as it stands in the file."""
    body = re.search(r'<div id="trials">.*?<tbody>(.*?)</tbody>', page.read_text(), re.S).group(1)
    rows = [re.findall(r"<td[^>]*>(.*?)</td>", row, re.S) for row in re.findall(r"<tr>(.*?)</tr>", body, re.S)]
    unescape = {"&lt;": "<", "&gt;": ">", "&quot;": '"', "&amp;": "&"}
    return [[re.sub("&(lt|gt|quot|amp);", lambda m: unescape[m.group(0)], cell) for cell in row] for row in rows]


ROWS = "return [...document.querySelectorAll('#trials tbody tr')].map(r => [...r.cells].map(c => c.textContent))"
PLACE = """const done = arguments[arguments.length - 1], box = document.querySelector('#' + arguments[0] + ' .plot');
box.scrollIntoView({block: 'center'});
const look = () => {  // scrolling is over, and what is drawn when it comes into sight is drawn
  const svg = box.querySelector('svg'), path = svg && svg.querySelector('path[data-i]:not(.sample)');
  if (!path) { requestAnimationFrame(look); return; }
  const place = path.getAttribute('d').split('M')[1].split('h')[0].split(' ').map(Number);
  const frame = svg.getBoundingClientRect(), scale = frame.width / svg.viewBox.baseVal.width;
  done([frame.left + place[0] * scale, frame.top + place[1] * scale, path.dataset.i.split(' ')[0]]);
};
requestAnimationFrame(() => requestAnimationFrame(look));"""
TIP = "const tip = document.getElementById('tip'); return tip.hidden ? '' : tip.textContent"
COUNT = """return [...document.querySelectorAll('#' + arguments[0] + ' path.dots')]
.reduce((n, path) => n + path.getAttribute('d').split('M').length - 1, 0)"""


def set_filter(browser, text):
    """Types it; returns how long the page took until it was drawn, in ms."""
    return browser.script_until_done("""
const done = arguments[arguments.length - 1], box = document.getElementById('filter'), begun = performance.now();
box.value = arguments[0];
box.dispatchEvent(new Event('input'));
requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now() - begun)));""", text)


DETAIL = "const box = document.getElementById('detail'); return box.hidden ? '' : box.innerText"
SHOWN = "return document.getElementById('matching').textContent"


def detail(browser):
    """A click on a point: its configuration beside the winner's, its command."""
    for plot in ("sorted", "progress"):
        x, y, _ = browser.script_until_done(PLACE, plot)
        browser.pointer((x, y), "down", "up")
        told = browser.script(DETAIL)
        trial = re.search(r"Trial (\d+)", told)
        check(f"a click on a point of {plot} shows its configuration", trial is not None and "winner" in told, told)
        check("with the command that runs it again", f"kerlab bench --db " in told
              and f"--trial {trial.group(1) if trial else '?'}" in told, told)
        check("and where its source lines are told", "kerlab inspect --db" in told, told)
        browser.keys(ESCAPE)
    wrong = browser.script("""
const data = JSON.parse(document.getElementById('data').textContent), part = data.problems[0], bad = [];
const text = data.columns.find((c) => c.key === 'configuration').text, variant = data.columns.find((c) => c.key === 'variant').text;
const words = (row) => new Map(text[row].split(' ').filter(Boolean).map((word) => word.split('=')));
for (const line of [...document.querySelectorAll('#trials tbody tr')].slice(0, 40)) {
  line.click();
  const row = Number(line.dataset.row), own = words(row), best = words(part.winner), differing = new Map();
  if (row === part.winner) continue;
  if (variant[row] !== variant[part.winner]) differing.set('variant', variant[row]);
  for (const name of new Set([...own.keys(), ...best.keys()])) if (own.get(name) !== best.get(name)) differing.set(name, own.get(name) ?? '-');
  const told = [...document.querySelectorAll('#detail td.differs')].map((cell) => [cell.previousSibling.textContent, cell.textContent]);
  if (JSON.stringify([...differing].sort()) !== JSON.stringify(told.sort())) bad.push([row, told]);
}
document.querySelector('#detail .head button').click();
return bad""")
    check("exactly what differs from the winner is told", wrong == [], wrong[:2])


def brushing(browser):
    """Dragging along an axis of the parallel coordinates filters everything."""
    axis = browser.script_until_done("""
const done = arguments[arguments.length - 1], box = document.querySelector('#parallel .plot');
box.scrollIntoView({block: 'center'});
const look = () => {
  const svg = box.querySelector('svg'), line = svg && svg.querySelector('line.frame');
  if (!line) { requestAnimationFrame(look); return; }
  const frame = svg.getBoundingClientRect(), name = svg.querySelector('text').textContent, at = (n) => Number(line.getAttribute(n));
  done([name, frame.left + at('x1'), frame.top + at('y1'), frame.left + at('x2'), frame.top + at('y2')]);
};
requestAnimationFrame(() => requestAnimationFrame(look));""")
    name, x1, y1, x2, y2 = axis
    browser.pointer((x1, y1 + 4), "down", (x1, y1 - 3), (x1, y1 - 0.3 * (y1 - y2)), "up")
    words = browser.script("return document.getElementById('filter').value")
    matching = int(browser.script(SHOWN).split()[0])
    check("dragging along an axis filters", words.startswith(name) and 0 < matching < TRIALS, (words, matching))
    check("and everything follows", browser.script(COUNT, "sorted") <= matching
          and browser.script("return document.querySelectorAll('#parallel .band').length") == 1, browser.script(COUNT, "sorted"))
    check("a drag is no click", browser.script(DETAIL) == "")
    browser.pointer((x1, y1 + 4), "down", (x1, y1 - 9), (x2, y2 - 4), "up")
    check("dragging along all of it lifts the filter", browser.script("return document.getElementById('filter').value") == "")


def several(browser, kerlab, make_database, folder):
    """Several problems: what leads, links, shapes, what the filter leaves of each, a comparison."""
    gemms = [f"gemm M={n} N={n} K={n} bf16 layout=nt alpha=1 beta=0" for n in (4096, 1024, 2048)]
    old, new, page = folder / "old.db", folder / "new.db", folder / "several.html"
    subprocess.run([make_database, old, "200", "", *gemms[:2]], check=True)
    subprocess.run([make_database, new, "400", "", *gemms, "outer M=16384 N=16384 bf16"], check=True)
    subprocess.run([kerlab, "report", "--db", new, "--compare", old, "-o", page], check=True, stdout=subprocess.DEVNULL)
    browser.open(page)
    led = browser.script("return [...document.querySelectorAll('.speedups tbody tr')].map(r => [...r.cells].map(c => c.textContent))")
    check("it leads with the speed-ups of each problem", len(led) == 4 and all(re.match(r"\d", row[1]) for row in led)
          and [row[0].split()[1].split("x")[0] for row in led[:3]] == ["1024", "2048", "4096"]
          and "not timed" in led[3][2], led)
    compared = browser.script("return [...document.querySelectorAll('#Compared ~ .scroll tbody tr')].slice(0, 4).map(r => [...r.cells].map(c => c.textContent))")
    check("winners before and now are compared", len(compared) == 4 and re.match(r"[\d.]+×", compared[2][3]) is not None
          and "no winner before" in compared[1][4], compared)
    browser.script("document.querySelector('#summary tr[data-of=\"3\"] a').click()")
    check("a row of the summary leads to its problem", browser.script("return location.hash") == "#problem-4"
          and browser.script("return document.getElementById('problem-4').open"))
    set_filter(browser, "problem:outer")
    gone = browser.script("return [...document.querySelectorAll('[data-of]')].map(e => [e.dataset.of, e.getBoundingClientRect().height > 0])")
    check("the filter leaves only what agrees of summaries and sections", gone and all((of == "3") == there for of, there in gone), gone)
    set_filter(browser, "")
    browser.script("document.getElementById('sweep-1').scrollIntoView()")
    points = browser.script_until_done("""
const done = arguments[arguments.length - 1], look = () => {
  const path = document.querySelector('#sweep-1 path.dots');
  if (path) done(path.dataset.i.split(' ').length); else requestAnimationFrame(look);
};
look();""")
    check("shapes of a family are drawn over the shape", points == 3, points)
    return page


def layout(browser, name, page):
    """At five widths, dark and light: no text is cut or lies on other text."""
    look = (pathlib.Path(__file__).parent / "layout.js").read_text()
    for width in (400, 800, 1200, 1600, 2000):
        browser.devtools("Emulation.setDeviceMetricsOverride", width=width, height=1000, deviceScaleFactor=1, mobile=False)
        browser.open(page)
        # Draws everything, as for paper, and unfolds it.
        browser.script("dispatchEvent(new Event('beforeprint')); dispatchEvent(new Event('afterprint'));")
        faults = browser.script(look)
        check(f"{name}: nothing is cut or collides at {width} px", faults == [], faults)
        if "KERLAB_SCREENSHOTS" not in os.environ:
            continue
        height = min(browser.script("return document.documentElement.scrollHeight"), 8000)
        browser.devtools("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        for colours in ("light", "dark"):
            browser.devtools("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": colours}])
            time.sleep(0.5)
            picture(browser, f"{name}-{width}-{colours}")
    browser.devtools("Emulation.setEmulatedMedia", features=[])
    browser.devtools("Emulation.clearDeviceMetricsOverride")


def hovering(browser):
    for plot in ("sorted", "progress", "progress-time", "accuracy"):
        x, y, row = browser.script_until_done(PLACE, plot)
        browser.move_to(x, y)
        tip = browser.script(TIP)
        named = browser.script("const d = JSON.parse(document.getElementById('data').textContent);"
                               "return d.columns.find(c => c.key === 'variant').text")
        check(f"a point of {plot} is named", any(tip.startswith(name) for name in set(named)) and "trial" in tip, tip)
        check(f"and marked in {plot}", browser.script(  # of a wide and a narrow drawing one is hidden
            f"return [...document.querySelectorAll('#{plot} .ring')].filter((ring) => ring.getClientRects().length).length") == 1, row)
    browser.move_to(2, 300)
    check("away from it the name goes", browser.script(TIP) == "")
    times = browser.script("""
const box = document.querySelector('#progress .plot'), frame = box.getBoundingClientRect(), times = [];
for (let i = 0; i < 200; ++i) {
  const begun = performance.now();
  box.dispatchEvent(new PointerEvent('pointermove', {clientX: frame.left + 70 + i * 1.5, clientY: frame.top + 60 + i}));
  times.push(performance.now() - begun);
}
return times.sort((a, b) => a - b)""")
    figures["hover"] = f"{times[100]:.2f} ms in the middle of 200, at most {times[-1]:.1f} ms"


def filtering(browser):
    all_points = browser.script(COUNT, "progress")
    check("every trial has a point", all_points == TRIALS, all_points)
    took = [set_filter(browser, text) for text in ("status:passed", "us<700", "BK=128", "BM=128 status:passed us<900")]
    browser.script("document.getElementById('progress').scrollIntoView()")
    set_filter(browser, "BM=128 status:passed us<900")
    figures["filter"] = f"{max(took):.0f} ms until it is drawn, the slowest of {len(took)}"
    matching = int(browser.script("return document.getElementById('matching').textContent").split()[0].replace(",", ""))
    rows = browser.script(ROWS)
    heads = browser.script("return [...document.querySelectorAll('#trials th')].map(h => h.textContent)")
    configuration, us = heads.index("configuration"), heads.index("us [95 %]")
    check("the table follows the filter", 0 < matching < TRIALS and len(rows) == min(100, matching) and all(
        "BM=128 " in row[configuration] and float(row[us].split()[0]) < 900 for row in rows), rows[:2])
    check("the plot follows it", browser.script(COUNT, "progress") == matching, browser.script(COUNT, "progress"))
    set_filter(browser, "nosuch=3")
    check("a wrong filter is told", browser.script("return document.getElementById('matching').textContent")
          == "no column or parameter nosuch")
    set_filter(browser, "")
    check("without it everything is back", browser.script(COUNT, "progress") == TRIALS)


def more_rows(browser):
    browser.script("document.querySelector('#more button').click()")
    check("more rows on demand", len(browser.script(ROWS)) == 500, len(browser.script(ROWS)))
    set_filter(browser, "")


def sorting(browser):
    browser.script("document.querySelector('#trials th button').focus()")
    for wanted, order in (("ascending", 1), ("descending", -1)):
        browser.keys(ENTER)
        rows = [int(row[0]) for row in browser.script(ROWS)]
        said = browser.script("return document.querySelector('#trials th').getAttribute('aria-sort')")
        check(f"Enter on a head sorts, {wanted}", said == wanted and rows == sorted(rows)[::order], (said, rows[:5]))


def keyboard(browser):
    browser.script("document.querySelector('#progress .plot').focus()")
    browser.keys(DOWN)
    first = browser.script(TIP)
    browser.keys(DOWN)
    second = browser.script(TIP)
    check("arrow keys go from trial to trial", first != "" and second != "" and first != second, (first, second))
    browser.keys(ENTER)
    check("Enter shows its configuration", browser.script(DETAIL) != "")
    browser.keys(ESCAPE)
    check("Escape closes it, and the plot has the focus again", browser.script(DETAIL) == ""
          and browser.script("return document.activeElement.className").startswith("plot"))
    set_filter(browser, "BM=128")
    browser.keys(ESCAPE)
    check("the next Escape shows all", browser.script("return document.getElementById('filter').value") == "")
    unnamed = browser.script("""return [...document.querySelectorAll('svg[role=img]')].filter(svg =>
  svg.getAttribute('aria-labelledby').split(' ').some(id => !document.getElementById(id)?.textContent)).length""")
    check("every figure has a title and a description", unnamed == 0, unnamed)
    tables = browser.script("return [...document.querySelectorAll('table')].filter(t => !t.caption?.textContent).length")
    check("every table has a caption", tables == 0, tables)


def theme(browser):
    paper = "return getComputedStyle(document.body).backgroundColor"
    browser.devtools("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark"}])
    dark = browser.script(paper)
    browser.script("scrollTo(0, 0)")
    picture(browser, "dark")
    browser.script("document.getElementById('theme').click()")  # auto -> light
    light = browser.script(paper)
    picture(browser, "light")
    browser.script("document.getElementById('theme').click()")
    again = browser.script(paper)
    check("the theme follows the system, and its button", light == "rgb(255, 255, 255)" and dark == again != light,
          (dark, light, again))
    check("nothing is kept outside the page", browser.script("return document.cookie + location.hash") == "")
    browser.script("document.getElementById('theme').click()")


def narrow(browser):
    browser.devtools("Emulation.setDeviceMetricsOverride", width=390, height=844, deviceScaleFactor=1, mobile=False)
    wide = browser.script("return document.documentElement.scrollWidth")
    check("a narrow screen does not scroll sideways", wide <= 390, wide)
    picture(browser, "narrow")
    browser.devtools("Emulation.clearDeviceMetricsOverride")


def printing(browser):
    pdf = browser.print_pdf()
    pages = len(re.findall(rb"/Type\s*/Page[^s]", pdf))
    check("prints on pages", pdf.startswith(b"%PDF") and 3 <= pages <= 40, pages)
    figures["print"] = f"{pages} pages"
    folder = os.environ.get("KERLAB_SCREENSHOTS")
    if folder:
        (pathlib.Path(folder) / "print.pdf").write_bytes(pdf)


def hostile(browser, kerlab, make_database, folder):
    text = "</script><script>document.title='broken'</script><img src=x onerror=document.title='broken'>\u2028'\""
    database, page = folder / "hostile.db", folder / "hostile.html"
    subprocess.run([make_database, database, "40", text], check=True)
    subprocess.run([kerlab, "report", "--db", database, "-o", page], check=True, stdout=subprocess.DEVNULL)
    browser.open(page)
    x, y, _ = browser.script_until_done(PLACE, "sorted")
    browser.move_to(x, y)
    check("a hostile name is shown as it is", text in browser.script(TIP), browser.script(TIP))
    browser.pointer((x, y), "down", "up")
    check("beside the winner too", text in browser.script("return document.querySelector('#detail h2').textContent"),
          browser.script(DETAIL))
    check("and runs nowhere", browser.script("return document.title").endswith("kerlab report")
          and browser.script("return document.images.length") == 0, browser.script("return document.title"))


def without_scripts(folder, page):
    with Browser(folder / "plain", javascript=False) as browser:
        browser.open(page)
        browser.devtools("DOM.enable")
        root = browser.devtools("DOM.getDocument")["root"]["nodeId"]

        def count(selector):
            return len(browser.devtools("DOM.querySelectorAll", nodeId=root, selector=selector)["nodeIds"])
        check("without scripts: tables, and the drawings that need none", count("#trials tbody tr") == 100 and count("svg.drawing") > 6
              and count("html[data-ready]") == 0 and count("#bar[hidden]") == 1, count("#trials tbody tr"))


def main():
    kerlab, make_database = sys.argv[1:3]
    if missing():
        print(f"skipped: not installed: {', '.join(missing())} (apt-get install chromium chromium-driver)")
        return 77
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = pathlib.Path(name)
        page = write_report(kerlab, make_database, folder)
        with Browser(folder / "profile") as browser:
            opens(browser, page)
            check("the script shows the rows of the file", browser.script(ROWS) == static_rows(page))
            for test in (hovering, detail, brushing, filtering, more_rows, sorting, keyboard, theme, narrow, printing):
                test(browser)
            layout(browser, "one", page)
            layout(browser, "several", several(browser, kerlab, make_database, folder))
            hostile(browser, kerlab, make_database, folder)
            errors = [entry["message"] for entry in browser.log("browser")]
            check("still nothing on the console", errors == [], errors)
        without_scripts(folder, page)
    if "--figures" in sys.argv:
        for what, figure in figures.items():
            print(f"{what:12s} {figure}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
