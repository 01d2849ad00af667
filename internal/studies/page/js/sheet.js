// What is shown, and what all drawings share: sheets to draw on and the scale of time.

let run = null; // the one shown
const view = { from: 0, to: 1, top: 0, rows: 1 }; // stretch of time in ticks, rows of the drawing
let rowsShown = []; // rows of run.gantt that the filter lets through
let followed = null; // position of the job that is followed
let marked = null; // bar under the pointer or the keys: {row (in rowsShown), bar}
let cursor = null; // time under the pointer
let strips = []; // charts on the same scale of time

const jobAt = (number) => (run.jobs.where ? run.jobs.where.get(number) : number < run.jobs.n ? number : undefined);
const jobName = (number) => {
  const k = jobAt(number);
  return k === undefined ? 'job no. ' + (number + 1) + ' (not listed here)' : run.jobs.ids[k];
};
// verdict is the outcome of a job, one of outcomes.
const verdict = (r, k) => outcomes[r.outcome[k]];
const inTime = (v) => v === 'kept' || v === 'met';
const tooLate = (v) => v === 'broken' || v === 'late';
const verdictHue = () => ({ kept: hue.blue, met: hue.sky, broken: hue.red, late: hue.orange, refused: hue.pink, failed: hue.yellow, killed: hue.yellow, interrupted: hue.yellow, unfinished: hue.yellow, done: hue.grey });

const font = (px) => px + 'px system-ui, -apple-system, "Segoe UI", Roboto, sans-serif';
// sheet fits a canvas to its place and the screen, and returns its context with one unit per CSS pixel.
const sheet = (canvas, height) => {
  const ratio = Math.min(3, window.devicePixelRatio || 1);
  const width = Math.max(50, canvas.clientWidth);
  if (fit(canvas, width, height, ratio)) canvas.style.height = height + 'px';
  return { c: blank(canvas, width, height, ratio), width, height, ratio };
};
const fit = (canvas, width, height, ratio) => {
  const w = Math.round(width * ratio), h = Math.round(height * ratio);
  if (canvas.width === w && canvas.height === h) return false;
  canvas.width = w;
  canvas.height = h;
  return true;
};
const blank = (canvas, width, height, ratio) => {
  const c = canvas.getContext('2d');
  c.setTransform(ratio, 0, 0, ratio, 0, 0);
  c.clearRect(0, 0, width, height);
  c.font = font(11.5);
  c.textBaseline = 'middle';
  return c;
};
const layers = new WeakMap();
// layered is sheet with what paint(c, width, height) draws on it, which is drawn again only when the key or the size changes: so the
// pointer can move over a hundred thousand bars.
const layered = (canvas, height, key, paint) => {
  const s = sheet(canvas, height);
  if (!layers.has(canvas)) layers.set(canvas, { back: document.createElement('canvas'), key: null });
  const layer = layers.get(canvas);
  const full = [key, run.at, view.from, view.to, view.top, view.rows, dark.matches].join();
  if (fit(layer.back, s.width, s.height, s.ratio) || layer.key !== full) {
    layer.key = full;
    paint(blank(layer.back, s.width, s.height, s.ratio), s.width, s.height);
  }
  s.c.setTransform(1, 0, 0, 1, 0, 0);
  s.c.drawImage(layer.back, 0, 0);
  s.c.setTransform(s.ratio, 0, 0, s.ratio, 0, 0);
  return s;
};
const steps = [1e-9, 1e-6, 1e-3].flatMap((u) => [1, 2, 5, 10, 20, 50, 100, 200, 500].map((x) => x * u))
  .concat([1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 10800, 21600, 43200, 86400, 172800, 432000, 864000, 2592000, 8640000]);
const label = (s, step) => {
  if (s === 0) return '0';
  if (step >= 86400) return s / 86400 + ' d';
  if (step >= 3600) return s / 3600 + ' h';
  if (s >= 3600 && step >= 60) return Math.floor(s / 3600) + ':' + two(Math.round(s / 60) % 60) + ' h';
  if (step >= 60) return Math.round(s / 60) + ' min';
  if (s >= 60 && step >= 1) return span(s);
  if (step >= 1) return Math.round(s) + ' s';
  const digits = Math.ceil(-Math.log10(step) - 1e-9);
  return s.toFixed(digits) + ' s';
};
// ticks lists the marks of a scale of time.
const marks = (width) => {
  const range = (view.to - view.from) / second;
  const step = steps.find((x) => (x / range) * width >= 90) || range;
  const list = [];
  for (let i = Math.ceil(view.from / second / step); i * step * second <= view.to * (1 + 1e-12); i++) list.push({ at: i * step * second, text: label(i * step, step) });
  return list;
};
const gutter = (width) => (width < 560 ? 58 : 124);
const xOf = (t, left, width) => left + ((t - view.from) / (view.to - view.from)) * (width - left);
const short = (c, text, width) => {
  if (c.measureText(text).width <= width) return text;
  let n = text.length;
  while (n > 1 && c.measureText(text.slice(0, n) + '…').width > width) n--;
  return text.slice(0, n) + '…';
};
