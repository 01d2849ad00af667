'use strict';
(() => {
  // ---- What is in the file -------------------------------------------------------------------------------------------------

  const data = JSON.parse(document.getElementById('data').textContent);
  const second = 1e9 / data.unit; // in ticks
  const outcomes = ['running', 'finished', 'failed', 'killed', 'rejected'];
  const attemptOutcomes = ['still running', 'committed', 'superseded', 'killed', 'preempted', 'failed', 'lost'];
  const stages = ['master', 'map', 'reduce', 'other 1', 'other 2', 'other 3', 'several stages'];
  const kinds = ['map', 'reduce', 'container'];

  // column reads a column of numbers: base 128, least part first, a set high bit announces more.
  const column = (text) => {
    const raw = atob(text || '');
    let i = 0;
    const count = () => {
      let x = 0;
      for (let unit = 1; ; unit *= 128) {
        const b = raw.charCodeAt(i++);
        x += (b & 127) * unit;
        if (b < 128) return x;
      }
    };
    const signed = () => unzig(count());
    const maybe = () => {
      const x = count();
      return x === 0 ? NaN : unzig(x - 1);
    };
    return { count, signed, maybe, more: () => i < raw.length };
  };
  const unzig = (x) => (x % 2 ? -(x + 1) / 2 : x / 2);

  const read = (text) => {
    const c = column(text);
    const list = [];
    while (c.more()) list.push(c.count());
    return list;
  };

  const sets = data.sets.map(() => null);
  // jobSet decodes what runs of the same jobs share.
  const jobSet = (i) => {
    if (sets[i]) return sets[i];
    const s = data.sets[i];
    const n = s.ids.length;
    const set = { n, total: s.total, ids: s.ids, names: s.classes, class: read(s.class), maps: read(s.maps), reduces: read(s.reduces), submitted: new Float64Array(n), where: null, byID: null };
    const submitted = column(s.submitted);
    for (let k = 0, at = 0; k < n; k++) set.submitted[k] = at += submitted.signed();
    if (s.index !== null) {
      const index = column(s.index);
      set.where = new Map();
      for (let k = 0, at = 0; k < n; k++) set.where.set((at += index.count()), k);
    }
    return (sets[i] = set);
  };

  const runs = data.runs.map(() => null);
  // load decodes a run when it is first looked at.
  const load = (i) => {
    if (runs[i]) return runs[i];
    const r = data.runs[i];
    const set = jobSet(r.set);
    const n = set.n;
    const run = { ...r, at: i, end: Math.max(1, r.end), jobs: set, outcome: new Uint8Array(n), admitted: new Uint8Array(n), finished: new Float64Array(n), deadline: new Float64Array(n), started: new Float64Array(n), promised: 0 };
    const flags = column(r.flags), started = column(r.started), finished = column(r.finished), deadline = column(r.deadline);
    for (let k = 0; k < n; k++) {
      const f = flags.count();
      run.outcome[k] = f & 7;
      run.admitted[k] = f >> 3;
      run.started[k] = set.submitted[k] + started.maybe();
      run.finished[k] = set.submitted[k] + finished.maybe();
      run.deadline[k] = set.submitted[k] + deadline.maybe();
      if (!isNaN(run.deadline[k])) run.promised++;
    }
    run.gantt = r.gantt && readGantt(r.gantt);
    run.series = r.series && readSeries(r.series);
    return (runs[i] = run);
  };

  const readGantt = (g) => {
    const rows = { level: g.level, nodes: g.nodes, node: read(g.node), kind: read(g.kind), slot: read(g.slot), slots: read(g.slots), n: 0 };
    rows.n = rows.node.length;
    const bars = read(g.bars);
    rows.first = new Int32Array(rows.n + 1);
    for (let r = 0; r < rows.n; r++) rows.first[r + 1] = rows.first[r] + bars[r];
    const n = rows.first[rows.n];
    Object.assign(rows, { begin: new Float64Array(n), end: new Float64Array(n), flags: new Uint8Array(n), job: new Int32Array(n), task: new Int32Array(n), count: new Int32Array(n), busy: new Float64Array(n), wasted: new Float32Array(n), most: new Float32Array(n), share: new Float32Array(n) });
    const gap = column(g.gap), length = column(g.length), flags = column(g.flags), job = column(g.job), task = column(g.task);
    const count = column(g.count), busy = column(g.busy), wasted = column(g.wasted), most = column(g.most);
    let j = 0, t = 0;
    for (let r = 0; r < rows.n; r++) {
      for (let i = rows.first[r], at = 0; i < rows.first[r + 1]; i++) {
        rows.begin[i] = at += gap.count();
        rows.end[i] = at += length.count();
        rows.flags[i] = flags.count();
        rows.job[i] = j += job.signed();
        if (rows.flags[i] & 8) {
          rows.count[i] = count.count();
          rows.busy[i] = busy.count();
          rows.wasted[i] = wasted.count() / 255;
          rows.most[i] = most.count() / 255;
        } else {
          rows.task[i] = t += task.signed();
          rows.count[i] = rows.most[i] = 1;
          rows.busy[i] = rows.end[i] - rows.begin[i];
          const o = rows.flags[i] & 7;
          rows.wasted[i] = o > 1 ? 1 : 0;
        }
        rows.share[i] = Math.min(1, rows.busy[i] / Math.max(1, (rows.end[i] - rows.begin[i]) * rows.slots[r]));
      }
    }
    return rows;
  };

  const readSeries = (s) => {
    const list = { width: s.width };
    for (const name of Object.keys(s.data)) {
      const c = column(s.data[name]);
      const values = [];
      for (let at = 0; c.more(); ) values.push(((at += c.signed()) * s.max[name]) / 10000);
      list[name] = values;
    }
    return list;
  };

  // ---- Words and numbers ---------------------------------------------------------------------------------------------------

  const two = (x) => String(x).padStart(2, '0');
  // span prints seconds so that three digits or so are left to read.
  const span = (s) => {
    if (!isFinite(s)) return '–';
    const sign = s < 0 ? '−' : '';
    const a = Math.abs(s);
    if (a < 0.0005) return '0 s';
    if (a < 0.9995) return sign + Math.round(1000 * a) + ' ms';
    if (a < 119.95) return sign + a.toFixed(1) + ' s';
    if (a < 7200) return sign + Math.floor((a + 0.5) / 60) + ':' + two(Math.floor(a + 0.5) % 60) + ' min';
    if (a < 48 * 3600) return sign + Math.floor((a + 30) / 3600) + ':' + two(Math.floor((a + 30) / 60) % 60) + ' h';
    return sign + (a / 86400).toFixed(1) + ' d';
  };
  const time = (ticks) => span(ticks / second);
  // number prints a number in groups of three, with a decimal where it is small, and spaces that do not break.
  const number = (x) => (Math.abs(x) < 100 ? Math.round(x * 10) / 10 : Math.round(x)).toLocaleString('en').replaceAll(',', '\u202f');
  const few = (x) => (x !== 0 && Math.abs(x) < 10 ? x.toPrecision(3) : number(x));
  const percent = (x) => (100 * x).toFixed(x > 0 && x < 0.1 ? 1 : 0) + ' %';
  const nameOf = (r) => r.policy + (r.world === 'sim' ? '' : ', on this machine') + ' · seed ' + r.seed;

  const el = (id) => document.getElementById(id);
  // make makes an element; texts go in as text, so whatever a file calls its jobs is no markup.
  const make = (tag, attributes, ...children) => {
    const e = document.createElement(tag);
    for (const [k, v] of Object.entries(attributes || {})) {
      if (k.startsWith('on')) e.addEventListener(k.slice(2), v);
      else if (v !== null && v !== undefined && v !== false) e.setAttribute(k, v);
    }
    e.append(...children.filter((c) => c !== null && c !== undefined));
    return e;
  };

  // ---- Colours (Okabe and Ito's, told apart by the colour-blind) -----------------------------------------------------------

  const dark = matchMedia('(prefers-color-scheme: dark)');
  const palettes = {
    light: { blue: '#0072B2', orange: '#E69F00', green: '#009E73', pink: '#CC79A7', sky: '#56B4E9', red: '#D55E00', yellow: '#a89a00', grey: '#8b8f96' },
    dark: { blue: '#4aa3e0', orange: '#E69F00', green: '#1fbf92', pink: '#d98fb8', sky: '#9bd4f5', red: '#f0763a', yellow: '#e5da3c', grey: '#7d848d' },
  };
  let hue, ink;
  const theme = () => {
    hue = palettes[dark.matches ? 'dark' : 'light'];
    const css = getComputedStyle(document.documentElement);
    ink = {};
    for (const k of ['paper', 'card', 'ink', 'soft', 'line', 'rule', 'accent', 'idle']) ink[k] = css.getPropertyValue('--' + k).trim();
  };
  const many = () => [hue.blue, hue.orange, hue.green, hue.pink, hue.sky, hue.red, hue.yellow];

  // ---- State -----------------------------------------------------------------------------------------------------------------

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
  // verdict says what became of a promise: met, missed, none, rejected, failed, open.
  const verdict = (r, k) => {
    if (r.outcome[k] === 4) return 'rejected';
    if (r.outcome[k] === 2 || r.outcome[k] === 3) return 'failed';
    if (isNaN(r.deadline[k])) return 'none';
    if (isNaN(r.finished[k])) return 'open';
    return r.finished[k] <= r.deadline[k] ? 'met' : 'missed';
  };
  const verdictWords = { met: 'met', missed: 'missed', none: 'no deadline', rejected: 'turned away', failed: 'failed', open: 'not finished' };
  const verdictHue = () => ({ met: hue.blue, missed: hue.red, none: hue.grey, rejected: hue.pink, failed: hue.orange, open: hue.yellow });

  // ---- Drawing in general ----------------------------------------------------------------------------------------------------

  const font = (px) => px + 'px system-ui, -apple-system, "Segoe UI", Roboto, sans-serif';
  // sheet fits a canvas to its place and the screen, and returns its context with one unit per CSS pixel.
  const sheet = (canvas, height) => {
    const ratio = Math.min(3, window.devicePixelRatio || 1);
    const width = Math.max(50, canvas.clientWidth);
    const w = Math.round(width * ratio), h = Math.round(height * ratio);
    if (canvas.width !== w || canvas.height !== h) {
      canvas.width = w;
      canvas.height = h;
      canvas.style.height = height + 'px';
    }
    const c = canvas.getContext('2d');
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    c.clearRect(0, 0, width, height);
    c.font = font(11.5);
    c.textBaseline = 'middle';
    return { c, width, height };
  };
  const steps = [1e-9, 1e-6, 1e-3].flatMap((u) => [1, 2, 5, 10, 20, 50, 100, 200, 500].map((x) => x * u))
    .concat([1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 10800, 21600, 43200, 86400, 172800, 432000, 864000, 2592000, 8640000]);
  const label = (s, step) => {
    if (s === 0) return '0';
    if (step >= 86400) return s / 86400 + ' d';
    if (step >= 3600) return s / 3600 + ' h';
    if (s >= 3600 && step >= 60) return Math.floor(s / 3600) + ':' + two(Math.round(s / 60) % 60) + ' h';
    if (step >= 60) return Math.round(s / 60) + ' min';
    if (s >= 3600) return Math.floor(s / 3600) + ':' + two(Math.floor(s / 60) % 60) + ':' + two(Math.round(s) % 60);
    if (s >= 120 && step >= 1) return Math.floor(s / 60) + ':' + two(Math.round(s) % 60) + ' min';
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

  // ---- The slots -------------------------------------------------------------------------------------------------------------

  const rowName = (g, r) => {
    const of = kinds[g.kind[r]];
    if (g.level === 'slot') return g.nodes[g.node[r]] + ' ' + of + ' ' + (g.slot[r] + 1);
    const place = g.level === 'node' ? g.nodes[g.node[r]] : g.level === 'rack' ? 'rack ' + g.node[r] : 'cluster';
    return place + ', ' + g.slots[r] + ' ' + of + (g.slots[r] === 1 ? '' : 's');
  };
  const rowShort = (g, r, narrow) => {
    const of = ['m', 'r', 'c'][g.kind[r]];
    if (narrow && g.level === 'rack') return 'R' + g.node[r] + ' ' + of;
    if (g.level === 'slot') return g.nodes[g.node[r]] + ' ' + of + (g.slot[r] + 1);
    if (g.level === 'node') return g.nodes[g.node[r]] + ' ' + of;
    return (g.level === 'rack' ? 'rack ' + g.node[r] : 'cluster') + ' ' + kinds[g.kind[r]] + 's';
  };

  const axis = 24;
  const ganttHeight = () => Math.round(Math.max(90, Math.min(rowsShown.length * 22, Math.max(260, window.innerHeight * 0.58), 620)));
  // paint returns the colour of each bar, by what the person chose.
  const paint = () => {
    const g = run.gantt;
    const mode = el('colour').value;
    const list = many();
    const of = verdictHue();
    const kind = [hue.blue, hue.orange, hue.green];
    const keys = new Map();
    const colour = (key, name, value) => {
      if (!keys.has(key)) keys.set(key, { name, value, n: 0 });
      const k = keys.get(key);
      k.n++;
      return k.value;
    };
    const colours = new Array(g.begin.length);
    for (let r = 0; r < g.n; r++) {
      for (let i = g.first[r]; i < g.first[r + 1]; i++) {
        const k = jobAt(g.job[i]);
        if (mode === 'job') colours[i] = list[(g.job[i] * 5) % list.length];
        else if (mode === 'class') {
          const c = k === undefined ? -1 : run.jobs.class[k];
          colours[i] = c < 0 ? colour(-1, 'not listed', hue.grey) : c < list.length ? colour(c, run.jobs.names[c] || '(no class)', list[c]) : colour(-2, 'other classes', hue.grey);
        } else if (mode === 'stage') {
          const s = g.flags[i] >> 4;
          colours[i] = s === 6 ? colour(6, stages[6], hue.grey) : colour(s, stages[s], [hue.pink, hue.blue, hue.orange, hue.green, hue.sky, hue.yellow][s]);
        } else if (mode === 'outcome') {
          const o = g.flags[i] & 7;
          if (g.flags[i] & 8) colours[i] = g.wasted[i] > 0.5 ? colour(8, 'most of the time lost', hue.red) : g.wasted[i] > 0 ? colour(7, 'some of the time lost', hue.orange) : colour(1, attemptOutcomes[1], hue.blue);
          else colours[i] = colour(o, attemptOutcomes[o], o === 1 ? hue.blue : o === 0 ? hue.green : o >= 5 ? hue.red : hue.orange);
        } else {
          const v = k === undefined ? 'none' : verdict(run, k);
          colours[i] = colour(v, v === 'none' ? 'job without deadline' : 'deadline ' + verdictWords[v], of[v]);
          if (v === 'rejected' || v === 'failed') keys.get(v).name = 'job ' + verdictWords[v];
        }
      }
    }
    run.colours = colours;
    run.painted = mode + dark.matches;
    const legend = el('legend');
    legend.replaceChildren();
    const swatch = (name, value) => {
      const i = make('i');
      i.style.background = value;
      legend.append(make('span', {}, i, name));
    };
    for (const k of [...keys.keys()].sort((a, b) => (a < b ? -1 : 1))) swatch(keys.get(k).name, keys.get(k).value);
    if (mode === 'job') legend.append(make('span', {}, 'neighbouring jobs have different colours'));
    if (g.level !== 'slot') legend.append(make('span', {}, 'the paler, the less of the slots was in use'));
  };

  const lower = (list, from, to, x) => {
    while (from < to) {
      const mid = (from + to) >> 1;
      if (list[mid] < x) from = mid + 1;
      else to = mid;
    }
    return from;
  };

  const drawGantt = () => {
    const canvas = el('gantt');
    const g = run.gantt;
    if (!g) return;
    if (run.painted !== el('colour').value + dark.matches) paint();
    const { c, width, height } = sheet(canvas, ganttHeight() + axis);
    const left = gutter(width), bottom = height - axis;
    const rowHeight = bottom / view.rows;
    const pad = rowHeight >= 6 ? 1 : 0;
    c.fillStyle = ink.idle;
    c.fillRect(left, 0, width - left, bottom);
    c.save();
    c.beginPath();
    c.rect(left, 0, width - left, bottom);
    c.clip();
    const focus = followed === null ? -1 : followed;
    const firstRow = Math.max(0, Math.floor(view.top)), lastRow = Math.min(rowsShown.length, Math.ceil(view.top + view.rows));
    const scale = (width - left) / (view.to - view.from);
    let style = '', alpha = -1;
    const rect = (x, y, w, h, colour, a) => {
      if (colour !== style) c.fillStyle = style = colour;
      a = Math.round(a * 32) / 32;
      if (a !== alpha) c.globalAlpha = alpha = a;
      c.fillRect(x, y, w, h);
    };
    for (let v = firstRow; v < lastRow; v++) {
      const r = rowsShown[v];
      const y = (v - view.top) * rowHeight, h = Math.max(0.3, rowHeight - pad);
      let column = -1, covered = 0, widest = 0, colour = '';
      const flush = () => {
        if (column >= 0) rect(column, y, 1, h, colour, Math.min(1, Math.max(0.12, covered)));
        column = -1;
      };
      for (let i = lower(g.end, g.first[r], g.first[r + 1], view.from); i < g.first[r + 1] && g.begin[i] <= view.to; i++) {
        const x = left + (g.begin[i] - view.from) * scale, w = (g.end[i] - g.begin[i]) * scale;
        let share = g.share[i], paintWith = run.colours[i];
        if (focus >= 0 && jobAt(g.job[i]) !== focus) {
          paintWith = hue.grey;
          share *= 0.3;
        }
        if (w >= 1) {
          flush();
          const gap = w > 4 && g.level === 'slot' ? 0.6 : 0;
          rect(x, y, w - gap, h, paintWith, 0.1 + 0.9 * share);
          continue;
        }
        const at = Math.floor(x);
        if (at !== column) {
          flush();
          column = at;
          covered = widest = 0;
        }
        covered += w * share;
        if (w * share >= widest) {
          widest = w * share;
          colour = paintWith;
        }
      }
      flush();
    }
    c.globalAlpha = 1;
    c.strokeStyle = ink.card;
    for (let v = firstRow + 1; v < lastRow; v++) {
      if (g.kind[rowsShown[v]] !== g.kind[rowsShown[v - 1]]) {
        c.lineWidth = 2;
        c.beginPath();
        c.moveTo(left, (v - view.top) * rowHeight);
        c.lineTo(width, (v - view.top) * rowHeight);
        c.stroke();
      }
    }
    if (followed !== null) drawFollowed(c, left, width, bottom);
    if (marked) {
      const i = marked.bar;
      const x = left + (g.begin[i] - view.from) * scale;
      c.strokeStyle = ink.ink;
      c.lineWidth = 2;
      c.strokeRect(x, (marked.row - view.top) * rowHeight, Math.max(3, (g.end[i] - g.begin[i]) * scale), Math.max(3, rowHeight - pad));
    }
    drawCursor(c, left, width, bottom);
    c.restore();
    // Names of rows, as many as fit.
    c.fillStyle = ink.soft;
    c.textAlign = 'right';
    let free = -1;
    for (let v = firstRow; v < lastRow; v++) {
      const y = (v + 0.5 - view.top) * rowHeight;
      if (y < free || y < 5 || y > bottom - 3) continue;
      c.fillText(short(c, rowShort(g, rowsShown[v], left < 100), left - 10), left - 6, y);
      free = y + 14;
    }
    drawAxis(c, left, width, bottom);
    canvas.setAttribute('aria-label', 'Slots over time: ' + rowsShown.length + ' rows, ' + time(view.from) + ' to ' + time(view.to) + '. Use the arrow keys to move.');
  };

  const drawAxis = (c, left, width, bottom) => {
    c.fillStyle = ink.soft;
    c.strokeStyle = ink.line;
    c.lineWidth = 1;
    for (const m of marks(width - left)) {
      const x = xOf(m.at, left, width);
      c.beginPath();
      c.moveTo(x, bottom);
      c.lineTo(x, bottom + 5);
      c.stroke();
      const half = c.measureText(m.text).width / 2;
      c.textAlign = x + half > width ? 'right' : x - half < left ? 'left' : 'center';
      c.fillText(m.text, x + half > width ? width : x, bottom + 14);
    }
  };
  const drawCursor = (c, left, width, bottom) => {
    if (cursor === null) return;
    const x = xOf(cursor, left, width);
    c.strokeStyle = ink.soft;
    c.lineWidth = 1;
    c.globalAlpha = 0.6;
    c.beginPath();
    c.moveTo(x, 0);
    c.lineTo(x, bottom);
    c.stroke();
    c.globalAlpha = 1;
  };
  // drawFollowed marks submission, finish and deadline of the job that is followed.
  const drawFollowed = (c, left, width, bottom) => {
    const k = followed;
    for (const [t, dash, text] of [[run.jobs.submitted[k], [2, 3], 'submitted'], [run.finished[k], [], 'finished'], [run.deadline[k], [7, 4], 'deadline']]) {
      if (isNaN(t)) continue;
      const x = xOf(t, left, width);
      c.strokeStyle = c.fillStyle = ink.ink;
      c.setLineDash(dash);
      c.lineWidth = 1.5;
      c.beginPath();
      c.moveTo(x, 0);
      c.lineTo(x, bottom);
      c.stroke();
      c.setLineDash([]);
      const wide = c.measureText(text).width;
      const y = text === 'deadline' ? 24 : text === 'finished' ? 40 : 8;
      const at = x + 5 + wide > width ? x - 5 - wide : x + 5;
      c.fillStyle = ink.card;
      c.globalAlpha = 0.85;
      c.fillRect(at - 2, y - 7, wide + 4, 14);
      c.globalAlpha = 1;
      c.fillStyle = ink.ink;
      c.textAlign = 'left';
      c.fillText(text, at, y);
    }
  };

  // ---- Charts over time -----------------------------------------------------------------------------------------------------

  // strip makes a chart on the scale of time of the drawing above it.
  const strip = (title, lines, top, print) => {
    const canvas = make('canvas', { role: 'img' });
    const out = make('output');
    const legend = make('span', { class: 'legend' });
    const figure = make('figure', {}, make('figcaption', {}, make('b', {}, title), legend, out), canvas);
    for (const l of lines) {
      const i = make('i', { class: 'stroke' + (l.dash ? ' dashed' : '') });
      i.style.borderColor = hue[l.hue];
      legend.append(make('span', {}, i, l.name));
    }
    const mean = (l) => l.values.reduce((a, b) => a + b, 0) / Math.max(1, l.values.length);
    canvas.setAttribute('aria-label', title + ' over time: ' + lines.map((l) => l.name + ' ' + print(mean(l)) + ' on average, ' + print(Math.max(...l.values, 0)) + ' at most').join('; '));
    const most = top || Math.max(1e-9, ...lines.map((l) => Math.max(0, ...l.values)));
    const draw = () => {
      const { c, width, height } = sheet(canvas, 92);
      const left = gutter(width), bottom = height - 6;
      const step = run.series.width;
      const y = (v) => bottom - (v / most) * (bottom - 10);
      c.strokeStyle = ink.rule;
      c.fillStyle = ink.soft;
      c.textAlign = 'right';
      for (const part of [0, 0.5, 1]) {
        c.beginPath();
        c.moveTo(left, Math.round(y(part * most)) + 0.5);
        c.lineTo(width, Math.round(y(part * most)) + 0.5);
        c.stroke();
        if (part !== 0.5) c.fillText(print(part * most), left - 6, y(part * most) + (part ? 4 : -3));
      }
      c.save();
      c.beginPath();
      c.rect(left, 0, width - left, height);
      c.clip();
      for (const l of lines) {
        const n = l.values.length;
        const from = Math.max(0, Math.floor(view.from / step)), to = Math.min(n, Math.ceil(view.to / step));
        const path = () => {
          c.beginPath();
          for (let i = from; i < to; i++) {
            const a = xOf(i * step, left, width), b = xOf(Math.min(run.end, (i + 1) * step), left, width);
            if (i === from) c.moveTo(a, y(l.values[i]));
            else c.lineTo(a, y(l.values[i]));
            c.lineTo(b, y(l.values[i]));
          }
        };
        if (from >= to) continue;
        if (!l.dash) {
          path();
          c.lineTo(xOf(Math.min(run.end, to * step), left, width), bottom);
          c.lineTo(xOf(from * step, left, width), bottom);
          c.globalAlpha = 0.22;
          c.fillStyle = hue[l.hue];
          c.fill();
          c.globalAlpha = 1;
        }
        path();
        c.strokeStyle = hue[l.hue];
        c.lineWidth = 1.4;
        c.setLineDash(l.dash ? [5, 3] : []);
        c.stroke();
        c.setLineDash([]);
      }
      drawCursor(c, left, width, bottom);
      c.restore();
      if (cursor === null) out.textContent = '';
      else {
        const i = Math.floor(cursor / step);
        out.textContent = time(cursor) + ': ' + lines.map((l) => l.name + ' ' + (l.values[i] === undefined ? '–' : print(l.values[i]))).join(', ');
      }
    };
    canvas.addEventListener('pointermove', (e) => {
      const box = canvas.getBoundingClientRect();
      setCursor(timeAt(e.clientX - box.left, box.width));
    });
    canvas.addEventListener('pointerleave', () => setCursor(null));
    return { figure, draw };
  };

  const makeStrips = () => {
    const s = run.series;
    strips = [];
    if (s) {
      const over = (a, b) => (s[a] || []).map((x, i) => (s[b] && s[b][i] > 0 ? Math.min(1, x / s[b][i]) : 0));
      const use = [];
      if (s.mapOffered) use.push({ name: 'map slots', values: s.mapHeld ? over('mapHeld', 'mapOffered') : [], hue: 'blue' });
      if (s.reduceOffered) use.push({ name: 'reduce slots', values: s.reduceHeld ? over('reduceHeld', 'reduceOffered') : [], hue: 'orange', dash: true });
      if (use.length) strips.push(strip('Use of slots', use, 1, percent));
      else if (s.running) strips.push(strip('Attempts running', [{ name: 'attempts', values: s.running, hue: 'blue' }], 0, number));
      strips.push(strip('Tasks waiting', [{ name: 'maps', values: s.mapsWaiting || [], hue: 'blue' }, { name: 'reduces and others', values: s.reducesWaiting || [], hue: 'orange', dash: true }], 0, number));
      strips.push(strip('Jobs', [{ name: 'with a running task', values: s.jobsRunning || [], hue: 'green' }, { name: 'waiting', values: s.jobsWaiting || [], hue: 'pink', dash: true }], 0, number));
    }
    el('over').replaceChildren(...strips.map((x) => x.figure));
  };

  // ---- Moving about ----------------------------------------------------------------------------------------------------------

  let planned = false;
  // redraw draws once before the next frame, however often it is asked.
  const redraw = () => {
    if (planned) return;
    planned = true;
    requestAnimationFrame(() => {
      planned = false;
      drawGantt();
      for (const s of strips) s.draw();
    });
  };
  const setCursor = (t) => {
    cursor = t;
    redraw();
  };
  const timeAt = (x, width) => {
    const left = gutter(width);
    return x < left ? null : view.from + ((x - left) / (width - left)) * (view.to - view.from);
  };
  const clampView = () => {
    const least = Math.max(1e-3, Math.min(run.end, 4));
    let range = Math.min(run.end, Math.max(least, view.to - view.from));
    view.from = Math.max(0, Math.min(run.end - range, view.from));
    view.to = view.from + range;
    const n = Math.max(1, rowsShown.length);
    view.rows = Math.max(Math.min(n, 3), Math.min(n, view.rows));
    view.top = Math.max(0, Math.min(n - view.rows, view.top));
    el('whole').disabled = view.from === 0 && view.to === run.end && view.rows === n;
    redraw();
  };
  const zoom = (factor, about) => {
    if (about === null || about === undefined) about = (view.from + view.to) / 2;
    const range = (view.to - view.from) * factor;
    view.from = about - (about - view.from) * factor;
    view.to = view.from + range;
    clampView();
  };
  const zoomRows = (factor, about) => {
    if (about === undefined) about = view.top + view.rows / 2;
    view.top = about - (about - view.top) * factor;
    view.rows *= factor;
    clampView();
  };
  const whole = () => {
    Object.assign(view, { from: 0, to: run.end, top: 0, rows: Math.max(1, rowsShown.length) });
    clampView();
  };
  const pan = (time, rows) => {
    const range = view.to - view.from;
    view.from += time * range;
    view.to = view.from + range;
    view.top += rows;
    clampView();
  };

  // hit finds the bar at a place of the drawing.
  const hit = (x, y, box) => {
    const g = run.gantt;
    const t = timeAt(x, box.width);
    const row = Math.floor(view.top + (y / (box.height - axis)) * view.rows);
    if (!g || t === null || y >= box.height - axis || row < 0 || row >= rowsShown.length) return null;
    const r = rowsShown[row];
    const near = (3 / box.width) * (view.to - view.from);
    let best = null, away = near;
    for (let i = lower(g.end, g.first[r], g.first[r + 1], t - near); i < g.first[r + 1] && g.begin[i] <= t + near; i++) {
      const d = Math.max(0, g.begin[i] - t, t - g.end[i]);
      if (d < away || best === null) {
        away = d;
        best = { row, bar: i };
      }
      if (d === 0) break;
    }
    return best;
  };
  // describe says what a bar is, line by line; the first is its heading.
  const describe = (m) => {
    const g = run.gantt, i = m.bar, r = rowsShown[m.row];
    const k = jobAt(g.job[i]);
    const list = [];
    const when = time(g.begin[i]) + ' – ' + time(g.end[i]) + ' (' + time(g.end[i] - g.begin[i]) + ')';
    if (g.flags[i] & 8) {
      list.push(number(g.count[i]) + (g.count[i] === 1 ? ' attempt' : ' attempts') + (g.level === 'slot' ? '' : ' begun') + ', ' + percent(g.share[i]) + ' busy');
      list.push((g.most[i] > 0.996 ? 'all of it: ' : g.most[i] > 0 ? 'at least ' + percent(g.most[i]) + ' of it: ' : 'among others: ') + jobName(g.job[i]));
      if (g.wasted[i] > 0) list.push(percent(g.wasted[i]) + ' of the time was lost');
    } else {
      list.push(jobName(g.job[i]));
      list.push(stages[g.flags[i] >> 4] + (g.task[i] > 0 ? ' ' + number(g.task[i]) : '') + ', ' + attemptOutcomes[g.flags[i] & 7]);
    }
    list.push(rowName(g, r), when);
    if (k !== undefined) {
      if (run.jobs.names[run.jobs.class[k]]) list.push('class ' + run.jobs.names[run.jobs.class[k]]);
      const v = verdict(run, k);
      if (!isNaN(run.deadline[k])) list.push('job due ' + time(run.deadline[k]) + ': ' + verdictWords[v] + (v === 'met' || v === 'missed' ? ' by ' + time(Math.abs(run.deadline[k] - run.finished[k])) : ''));
    }
    return list;
  };
  const showTip = (m, x, y) => {
    const tip = el('tip');
    if (!m) {
      tip.hidden = true;
      return;
    }
    const [head, ...rest] = describe(m);
    tip.replaceChildren(make('b', {}, head), ...rest.flatMap((line, i) => (i ? [make('br'), line] : [line])));
    tip.hidden = false;
    const box = el('gantt').getBoundingClientRect();
    tip.style.left = Math.max(0, Math.min(x + 14, box.width - tip.offsetWidth)) + 'px';
    tip.style.top = (y + 18 + tip.offsetHeight > box.height ? Math.max(0, y - tip.offsetHeight - 12) : y + 18) + 'px';
  };
  const mark = (m, x, y) => {
    marked = m;
    showTip(m, x, y);
    redraw();
  };
  const follow = (k) => {
    followed = followed === k ? null : k;
    redraw();
  };

  const listenToGantt = () => {
    const canvas = el('gantt');
    let from = null; // where a drag began
    const place = (e) => {
      const box = canvas.getBoundingClientRect();
      return { x: e.clientX - box.left, y: e.clientY - box.top, box };
    };
    canvas.addEventListener('wheel', (e) => {
      const { x, y, box } = place(e);
      const factor = Math.exp(Math.max(-60, Math.min(60, e.deltaMode ? e.deltaY * 20 : e.deltaY)) * 0.004);
      if (e.altKey) zoomRows(factor, view.top + (y / (box.height - axis)) * view.rows);
      else if (e.shiftKey || Math.abs(e.deltaX) > Math.abs(e.deltaY)) pan(((e.deltaX || e.deltaY) / box.width) * 0.8, 0);
      else if (factor > 1 && view.from === 0 && view.to === run.end) return; // nothing left to see: the page may scroll on
      else zoom(factor, timeAt(x, box.width));
      e.preventDefault();
    }, { passive: false });
    canvas.addEventListener('pointerdown', (e) => {
      if (e.button !== 0) return;
      from = { ...place(e), view: { ...view }, moved: false };
      canvas.setPointerCapture(e.pointerId);
    });
    canvas.addEventListener('pointermove', (e) => {
      const { x, y, box } = place(e);
      if (from) {
        if (Math.abs(x - from.x) + Math.abs(y - from.y) > 4) from.moved = true;
        if (from.moved) {
          canvas.classList.add('drag');
          const range = from.view.to - from.view.from;
          view.from = from.view.from - ((x - from.x) / (box.width - gutter(box.width))) * range;
          view.to = view.from + range;
          view.top = from.view.top - ((y - from.y) / (box.height - axis)) * view.rows;
          mark(null);
          clampView();
          return;
        }
      }
      cursor = timeAt(x, box.width);
      mark(hit(x, y, box), x, y);
    });
    const up = (e) => {
      canvas.classList.remove('drag');
      if (from && !from.moved && e.type === 'pointerup') {
        const { x, y, box } = place(e);
        const m = hit(x, y, box);
        const k = m ? jobAt(run.gantt.job[m.bar]) : undefined;
        follow(k === undefined ? followed : k);
      }
      from = null;
    };
    canvas.addEventListener('pointerup', up);
    canvas.addEventListener('pointercancel', up);
    canvas.addEventListener('pointerleave', () => {
      cursor = null;
      if (!from) mark(null);
    });
    canvas.addEventListener('dblclick', whole);
    canvas.addEventListener('blur', () => mark(null));
    canvas.addEventListener('keydown', (e) => {
      if (e.ctrlKey || e.metaKey || e.altKey) return;
      const keys = {
        ArrowLeft: () => (e.shiftKey ? stepBar(-1) : pan(-0.15, 0)), ArrowRight: () => (e.shiftKey ? stepBar(1) : pan(0.15, 0)),
        ArrowUp: () => (e.shiftKey ? stepRow(-1) : pan(0, -Math.max(1, view.rows * 0.15))), ArrowDown: () => (e.shiftKey ? stepRow(1) : pan(0, Math.max(1, view.rows * 0.15))),
        '+': () => zoom(0.6), '=': () => zoom(0.6), '-': () => zoom(1 / 0.6), PageUp: () => zoomRows(1.6), PageDown: () => zoomRows(1 / 1.6),
        0: whole, Home: whole,
        Enter: () => marked && jobAt(run.gantt.job[marked.bar]) !== undefined && follow(jobAt(run.gantt.job[marked.bar])),
        Escape: () => { followed = null; mark(null); },
      };
      if (!keys[e.key]) return;
      e.preventDefault();
      keys[e.key]();
    });
  };
  // show moves to a bar that the keys went to.
  const showBar = (m) => {
    const g = run.gantt;
    const range = view.to - view.from;
    if (g.end[m.bar] < view.from || g.begin[m.bar] > view.to) {
      view.from = g.begin[m.bar] - range / 3;
      view.to = view.from + range;
    }
    if (m.row < view.top || m.row >= view.top + view.rows) view.top = m.row - view.rows / 2;
    clampView();
    const box = el('gantt').getBoundingClientRect();
    mark(m, Math.max(gutter(box.width), xOf(g.begin[m.bar], gutter(box.width), box.width)), ((m.row + 1 - view.top) / view.rows) * (box.height - axis));
  };
  const stepBar = (by) => {
    const g = run.gantt;
    if (!g) return;
    if (!marked) {
      stepRow(0);
      return;
    }
    const r = rowsShown[marked.row];
    const i = marked.bar + by;
    if (i >= g.first[r] && i < g.first[r + 1]) showBar({ row: marked.row, bar: i });
  };
  const stepRow = (by) => {
    const g = run.gantt;
    if (!g) return;
    const about = marked ? g.begin[marked.bar] : view.from;
    for (let row = marked ? marked.row + by : Math.floor(view.top); row >= 0 && row < rowsShown.length; row += by || 1) {
      const r = rowsShown[row];
      if (g.first[r] === g.first[r + 1]) continue;
      showBar({ row, bar: Math.min(g.first[r + 1] - 1, lower(g.end, g.first[r], g.first[r + 1], about + 1e-9)) });
      return;
    }
  };
  const filterRows = () => {
    const g = run.gantt;
    const kind = el('kind').value;
    rowsShown = [];
    if (g) for (let r = 0; r < g.n; r++) if (kind === 'all' || g.kind[r] === Number(kind)) rowsShown.push(r);
    view.top = 0;
    view.rows = Math.max(1, rowsShown.length);
    marked = null;
  };

  // ---- Distributions ---------------------------------------------------------------------------------------------------------

  // companions are the runs of the same scenario and seed, this one among them.
  const companions = () => data.runs.map((r, i) => i).filter((i) => data.runs[i].scenario === run.scenario && data.runs[i].seed === run.seed);
  const curveX = (c, i) => (i === c.part.length - 1 ? c.high : c.low * Math.pow(c.high / c.low, i / (c.part.length - 1)));
  // quantile returns the least point of the curve up to which a part of the jobs lies.
  const quantile = (c, q) => {
    const i = c.part.findIndex((p) => p / 10000 >= q - 1e-9);
    return i < 0 ? c.high : curveX(c, i);
  };

  let curveCharts = [];
  const makeCurves = () => {
    const group = companions();
    const list = many();
    curveCharts = [];
    const table = [];
    for (const [key, title, none] of [['response', 'Response time: submission to finish', 'No job finished.'], ['tardiness', 'Tardiness: how much later than its deadline', 'No finished job had a deadline.']]) {
      const lines = group.map((i, n) => ({ i, name: data.runs[i].policy + (data.runs[i].world === 'sim' ? '' : ', on this machine'), curve: data.runs[i][key], colour: list[n % list.length], dash: [[], [6, 3], [2, 3]][Math.floor(n / list.length) % 3] })).filter((l) => l.curve);
      for (const l of lines) table.push([key === 'response' ? 'response' : 'tardiness', l.name, number(l.curve.n), ...[0.5, 0.9, 0.95, 0.99].map((q) => (key === 'tardiness' && l.curve.zero / 10000 >= q ? 'on time' : span(quantile(l.curve, q)))), span(l.curve.high)]);
      const canvas = make('canvas', { role: 'img', 'aria-label': title + ', share of the jobs by policy; the table below has the numbers' });
      const legend = make('span', { class: 'legend' });
      const out = make('output');
      const figure = make('figure', {}, make('figcaption', {}, make('b', {}, title), out), lines.length ? canvas : make('p', { class: 'note' }, none), legend);
      for (const l of lines) {
        const i = make('i', { class: 'stroke' + (l.dash.length ? ' dashed' : '') });
        i.style.borderColor = l.colour;
        legend.append(make('span', {}, i, l.name + (key === 'tardiness' ? ' (' + percent(l.curve.zero / 10000) + ' on time)' : '')));
      }
      const low = Math.min(...lines.map((l) => l.curve.low)), high = Math.max(...lines.map((l) => l.curve.high));
      let at = null;
      const draw = () => {
        if (!lines.length) return;
        const { c, width, height } = sheet(canvas, 230);
        const left = 44, bottom = height - 22, right = width - 12;
        const x = (v) => left + (Math.log(v / low) / Math.log(high / low)) * (right - left);
        const y = (p) => bottom - p * (bottom - 12);
        c.strokeStyle = ink.rule;
        c.fillStyle = ink.soft;
        c.lineWidth = 1;
        for (const p of [0, 0.25, 0.5, 0.75, 1]) {
          c.beginPath();
          c.moveTo(left, Math.round(y(p)) + 0.5);
          c.lineTo(right, Math.round(y(p)) + 0.5);
          c.stroke();
          c.textAlign = 'right';
          c.fillText(percent(p), left - 6, y(p));
        }
        let free = -1;
        for (const v of [1e-6, 1e-5, 1e-4, 1e-3, 0.01, 0.1, 1, 10, 60, 600, 3600, 14400, 86400, 864000, 8640000]) {
          if (v < low || v > high || x(v) < free) continue;
          c.beginPath();
          c.moveTo(Math.round(x(v)) + 0.5, 12);
          c.lineTo(Math.round(x(v)) + 0.5, bottom + 4);
          c.stroke();
          c.textAlign = 'center';
          const text = v >= 86400 ? v / 86400 + ' d' : v >= 3600 ? v / 3600 + ' h' : v >= 60 ? v / 60 + ' min' : v >= 1 ? v + ' s' : v >= 1e-3 ? Math.round(v * 1e3) + ' ms' : Math.round(v * 1e6) + ' µs';
          c.fillText(text, x(v), bottom + 13);
          free = x(v) + 48;
        }
        for (const l of [...lines].sort((a, b) => (a.i === run.at) - (b.i === run.at))) {
          c.strokeStyle = l.colour;
          c.lineWidth = l.i === run.at ? 3 : 1.6;
          c.setLineDash(l.dash);
          c.beginPath();
          c.moveTo(left, y(l.curve.zero / 10000));
          c.lineTo(x(l.curve.low), y(l.curve.zero / 10000));
          l.curve.part.forEach((p, i) => c.lineTo(x(curveX(l.curve, i)), y(p / 10000)));
          c.lineTo(right, y(l.curve.part[l.curve.part.length - 1] / 10000));
          c.stroke();
        }
        c.setLineDash([]);
        out.textContent = '';
        if (at !== null) {
          const v = low * Math.pow(high / low, Math.max(0, Math.min(1, (at - left) / (right - left))));
          c.strokeStyle = ink.soft;
          c.lineWidth = 1;
          c.beginPath();
          c.moveTo(x(v), 12);
          c.lineTo(x(v), bottom);
          c.stroke();
          out.textContent = 'within ' + span(v) + ': ' + lines.map((l) => {
            let i = 0;
            while (i + 1 < l.curve.part.length && curveX(l.curve, i + 1) <= v) i++;
            return l.name + ' ' + percent((v < l.curve.low ? l.curve.zero : l.curve.part[i]) / 10000);
          }).join(', ');
        }
      };
      canvas.addEventListener('pointermove', (e) => {
        at = e.clientX - canvas.getBoundingClientRect().left;
        draw();
      });
      canvas.addEventListener('pointerleave', () => {
        at = null;
        draw();
      });
      curveCharts.push({ figure, draw });
    }
    el('curves').replaceChildren(...curveCharts.map((c) => c.figure));
    el('quantiles').replaceChildren(tableOf('Quantiles over the jobs, to the next point of the curves', ['', 'policy', '>jobs', '>50 %', '>90 %', '>95 %', '>99 %', '>all'], table));
  };

  // ---- Tables ----------------------------------------------------------------------------------------------------------------

  // tableOf makes a table; a heading that begins with > is flush right. A cell may be a text or an element.
  const tableOf = (caption, heads, rows, current) => {
    const right = heads.map((h) => (typeof h === 'string' ? h : h.text).startsWith('>'));
    const head = make('tr', {}, ...heads.map((h, i) => {
      const text = (typeof h === 'string' ? h : h.text).replace(/^>/, '');
      const cell = make('th', { scope: 'col', class: right[i] ? 'right' : null, 'aria-sort': h.sorted }, h.press ? make('button', { type: 'button', onclick: h.press }, text + (h.sorted ? (h.sorted === 'ascending' ? ' ↑' : ' ↓') : '')) : text);
      return cell;
    }));
    const body = rows.map((row, n) => make('tr', { class: n === current ? 'now' : null }, ...row.map((cell, i) => {
      const e = make(i === 0 ? 'th' : 'td', { class: right[i] ? 'right' : null, scope: i === 0 ? 'row' : null }, cell);
      if (typeof cell === 'string' && cell.length > 30) e.title = cell;
      return e;
    })));
    return make('table', {}, make('caption', {}, caption), make('thead', {}, head), make('tbody', {}, ...body));
  };

  const pageLength = 25;
  const listing = { page: 0, key: 'slack', up: true };
  const columns = [
    { text: 'job', key: 'id', value: (k) => run.jobs.ids[k] },
    { text: 'class', key: 'class', value: (k) => run.jobs.names[run.jobs.class[k]] },
    { text: '>maps', key: 'maps', value: (k) => run.jobs.maps[k], print: number },
    { text: '>reduces', key: 'reduces', value: (k) => run.jobs.reduces[k], print: number },
    { text: '>submitted', key: 'submitted', value: (k) => run.jobs.submitted[k], print: time },
    { text: '>deadline', key: 'deadline', value: (k) => run.deadline[k], print: time },
    { text: '>finished', key: 'finished', value: (k) => run.finished[k], print: time },
    { text: '>response', key: 'response', value: (k) => run.finished[k] - run.jobs.submitted[k], print: time },
    { text: '>slack', key: 'slack', value: (k) => run.deadline[k] - run.finished[k], print: time },
    { text: 'promise', key: 'verdict', value: (k) => verdict(run, k) },
  ];
  const makePromises = () => {
    const counts = { met: 0, missed: 0, rejected: 0, failed: 0, open: 0, none: 0 };
    for (let k = 0; k < run.jobs.n; k++) counts[verdict(run, k)]++;
    const s = run.summary;
    const bar = make('div', { class: 'share', 'aria-hidden': 'true' });
    const legend = make('div', { class: 'legend' });
    const of = verdictHue();
    for (const v of ['met', 'missed', 'open', 'rejected', 'failed', 'none']) {
      if (!counts[v]) continue;
      const part = make('i'), key = make('i');
      part.style.flexGrow = counts[v];
      part.style.background = key.style.background = of[v];
      bar.append(part);
      legend.append(make('span', {}, key, verdictWords[v] + ' ' + number(counts[v])));
    }
    const listed = run.jobs.n < run.jobs.total ? ' Listed are ' + number(run.jobs.n) + ' of ' + number(run.jobs.total) + ' jobs: those that differ or are late the most, and an even choice of the others; the JSON report has all.' : '';
    el('kept').replaceChildren(make('p', {}, number(s.admitted) + ' of ' + number(s.jobs) + ' jobs admitted, ' + number(s.rejected) + ' turned away; of ' + number(s.deadlines) + ' with a deadline ' + number(s.met) + ' met it and ' + number(s.missed) + ' missed it.' + listed), bar, legend);
    const show = el('show');
    const before = show.value;
    const options = [['due', 'jobs with a deadline', run.promised], ['all', 'all jobs', run.jobs.n], ...['missed', 'met', 'rejected', 'failed', 'open', 'none'].map((v) => [v, verdictWords[v], counts[v]])];
    show.replaceChildren(...options.filter((o) => o[2] > 0 || o[0] === 'all').map((o) => make('option', { value: o[0] }, o[1] + ' (' + number(o[2]) + ')')));
    show.value = [...show.options].some((o) => o.value === before) ? before : run.promised ? 'due' : 'all';
    listing.page = 0;
    if (!run.promised && listing.key === 'slack') Object.assign(listing, { key: 'submitted', up: true });
    fillPromises();
  };
  const fillPromises = () => {
    const show = el('show').value, part = el('search').value.toLowerCase();
    let list = [];
    for (let k = 0; k < run.jobs.n; k++) {
      const v = verdict(run, k);
      if ((show === 'all' || show === v || (show === 'due' && !isNaN(run.deadline[k]))) && (!part || run.jobs.ids[k].toLowerCase().includes(part))) list.push(k);
    }
    const by = columns.find((c) => c.key === listing.key);
    const sign = listing.up ? 1 : -1;
    const text = typeof by.value(0) === 'string';
    const collate = new Intl.Collator('en', { numeric: true });
    const values = new Map(list.map((k) => [k, by.value(k)]));
    list.sort((a, b) => {
      const x = values.get(a), y = values.get(b);
      if (text) return sign * collate.compare(x, y) || a - b;
      return isNaN(x) ? (isNaN(y) ? a - b : 1) : isNaN(y) ? -1 : sign * (x - y) || a - b;
    });
    const pages = Math.max(1, Math.ceil(list.length / pageLength));
    listing.page = Math.max(0, Math.min(pages - 1, listing.page));
    const shown = list.slice(listing.page * pageLength, (listing.page + 1) * pageLength);
    const heads = columns.map((c) => ({ text: c.text, sorted: c.key === listing.key ? (listing.up ? 'ascending' : 'descending') : null, press: () => {
      Object.assign(listing, { up: c.key === listing.key ? !listing.up : true, key: c.key, page: 0 });
      fillPromises();
    } }));
    const rows = shown.map((k) => columns.map((c) => {
      if (c.key === 'id') return jobButton(k);
      if (c.key === 'verdict') {
        const v = verdict(run, k);
        const reason = run.reasons[k];
        const cell = make('span', { class: v === 'missed' || v === 'failed' || v === 'rejected' ? 'bad' : null, title: reason }, verdictWords[v] + (reason ? ': ' + reason : ''));
        return cell;
      }
      const value = c.value(k);
      return c.print ? (typeof value === 'number' && isNaN(value) ? '–' : c.print(value)) : value;
    }));
    el('jobs').replaceChildren(tableOf(list.length ? 'Press a heading to sort, a job to see it in the drawing above' : 'No such job', heads, rows));
    const go = (by) => () => {
      listing.page += by;
      fillPromises();
    };
    el('pages').replaceChildren(
      make('button', { type: 'button', onclick: go(-1), disabled: listing.page === 0 ? '' : null }, '‹ before'),
      make('span', { class: 'note' }, 'page ' + number(listing.page + 1) + ' of ' + number(pages)),
      make('button', { type: 'button', onclick: go(1), disabled: listing.page === pages - 1 ? '' : null }, 'next ›'));
  };
  // jobButton leads to a job in the drawing of the slots.
  const jobButton = (k) => make('button', { type: 'button', onclick: () => {
    followed = k;
    const ends = [run.jobs.submitted[k], run.finished[k], run.deadline[k]].filter((t) => !isNaN(t));
    const from = Math.min(...ends), to = Math.max(...ends);
    const room = Math.max((to - from) * 0.15, run.end / 1000);
    view.from = from - room;
    view.to = to + room;
    clampView();
    el('gantt').scrollIntoView({ block: 'center', behavior: 'smooth' });
    el('gantt').focus({ preventScroll: true });
  } }, run.jobs.ids[k]);

  // ---- Where policies differ -------------------------------------------------------------------------------------------------

  let scatter = null;
  const chooseOther = () => {
    const others = companions().filter((i) => i !== run.at);
    const select = el('against');
    const before = Number(select.value);
    select.replaceChildren(...others.map((i) => make('option', { value: i }, nameOf(data.runs[i]))));
    select.parentElement.hidden = others.length === 0;
    if (others.includes(before)) select.value = before;
    makeDiffer();
  };
  const makeDiffer = () => {
    const others = companions().filter((i) => i !== run.at);
    scatter = null;
    el('scatter').replaceChildren();
    el('most').replaceChildren();
    if (!others.length) {
      el('differ').textContent = 'There is one policy only for this scenario and seed. With several (--policy fifo,edf-p) this tells which jobs finish earlier under which.';
      return;
    }
    const other = load(Number(el('against').value));
    if (other.jobs !== run.jobs && !other.jobs.byID) other.jobs.byID = new Map(other.jobs.ids.map((id, k) => [id, k]));
    const pairs = [];
    for (let k = 0; k < run.jobs.n; k++) {
      const o = other.jobs === run.jobs ? k : other.jobs.byID.get(run.jobs.ids[k]);
      if (o === undefined) continue;
      const by = run.finished[k] - other.finished[o];
      if (!isNaN(by)) pairs.push({ k, o, by });
    }
    const earlier = pairs.filter((p) => p.by < 0).length, later = pairs.filter((p) => p.by > 0).length;
    const sorted = pairs.map((p) => p.by).sort((a, b) => a - b);
    const changed = pairs.filter((p) => (verdict(run, p.k) === 'met') !== (verdict(other, p.o) === 'met') && !isNaN(run.deadline[p.k]));
    const won = changed.filter((p) => verdict(run, p.k) === 'met').length;
    el('differ').textContent = 'Of ' + number(pairs.length) + ' jobs that finish under both, ' + number(earlier) + ' finish earlier under ' + run.policy + ' than under ' + other.policy + ', ' + number(later) + ' later' + (pairs.length ? '; in the median ' + (sorted[sorted.length >> 1] === 0 ? 'at the same time' : time(Math.abs(sorted[sorted.length >> 1])) + (sorted[sorted.length >> 1] < 0 ? ' earlier' : ' later')) : '') + '. ' + number(won) + ' deadlines are met that ' + other.policy + ' misses, ' + number(changed.length - won) + ' are missed that it meets.';
    const most = [...pairs].filter((p) => p.by !== 0).sort((a, b) => Math.abs(b.by) - Math.abs(a.by)).slice(0, 15);
    if (most.length) {
      el('most').replaceChildren(tableOf('The jobs that differ most', ['job', 'class', '>maps', '>submitted', '>deadline', '>' + run.policy, '>' + other.policy, '>difference', 'promise'], most.map((p) => [jobButton(p.k), run.jobs.names[run.jobs.class[p.k]], number(run.jobs.maps[p.k]), time(run.jobs.submitted[p.k]), isNaN(run.deadline[p.k]) ? '–' : time(run.deadline[p.k]), time(run.finished[p.k]), time(other.finished[p.o]), time(Math.abs(p.by)) + (p.by < 0 ? ' earlier' : ' later'), verdictWords[verdict(run, p.k)] + (verdict(run, p.k) === verdict(other, p.o) ? '' : ', there ' + verdictWords[verdict(other, p.o)])])));
    }
    drawScatter(other, pairs);
  };
  // drawScatter has a point for each job: when it was submitted, and how much later it finishes here. The scale is logarithmic both ways
  // from one hundredth of the largest difference on a stretch that is even.
  const drawScatter = (other, pairs) => {
    if (!pairs.length) return;
    const canvas = make('canvas', { role: 'img', 'aria-label': 'For each job how much later it finishes under ' + run.policy + ' than under ' + other.policy + '; the table below has the largest differences' });
    const out = make('output');
    const key = (text, colour) => {
      const i = make('i');
      i.style.background = colour;
      return make('span', {}, i, text);
    };
    el('scatter').replaceChildren(make('figure', {}, make('figcaption', {}, make('span', { class: 'legend' }, key('earlier under ' + run.policy, hue.blue), key('later', hue.red)), out), canvas));
    const mine = run;
    const largest = pairs.reduce((most, p) => Math.max(most, Math.abs(p.by)), 1);
    const linear = largest / 1000;
    const top = Math.asinh(largest / linear);
    let near = null;
    const place = (width, height) => {
      const left = gutter(width), bottom = height - 20;
      return { left, bottom, x: (p) => left + 6 + (mine.jobs.submitted[p.k] / mine.end) * (width - left - 12), y: (p) => bottom / 2 - (Math.asinh(p.by / linear) / top) * (bottom / 2 - 8) };
    };
    const draw = () => {
      const { c, width, height } = sheet(canvas, 260);
      const { left, bottom, x, y } = place(width, height);
      c.fillStyle = ink.soft;
      for (const part of [1, 0.1, 0.01, 0, -0.01, -0.1, -1]) {
        const at = Math.round(y({ by: part * largest })) + 0.5;
        c.strokeStyle = part === 0 ? ink.soft : ink.rule;
        c.beginPath();
        c.moveTo(left, at);
        c.lineTo(width, at);
        c.stroke();
        c.textAlign = 'right';
        c.fillText(part === 0 ? 'same' : (part > 0 ? '+' : '') + time(part * largest), left - 6, Math.max(7, Math.min(bottom - 7, at)));
      }
      const r = pairs.length > 5000 ? 1.4 : pairs.length > 500 ? 2 : 3.5;
      c.globalAlpha = pairs.length > 5000 ? 0.45 : 0.75;
      for (const p of pairs) {
        if (p.by === 0 && pairs.length > 2000) continue;
        c.fillStyle = p.by < 0 ? hue.blue : p.by > 0 ? hue.red : hue.grey;
        c.fillRect(x(p) - r, y(p) - r, 2 * r, 2 * r);
      }
      c.globalAlpha = 1;
      c.fillStyle = ink.soft;
      c.textAlign = 'left';
      c.fillText('submitted at 0', left, bottom + 11);
      c.textAlign = 'right';
      c.fillText(time(mine.end), width, bottom + 11);
      if (near) {
        c.strokeStyle = ink.ink;
        c.lineWidth = 1.5;
        c.strokeRect(x(near) - 5, y(near) - 5, 10, 10);
      }
      out.textContent = near ? mine.jobs.ids[near.k].slice(0, 60) + ': ' + (near.by === 0 ? 'the same time' : time(Math.abs(near.by)) + (near.by < 0 ? ' earlier' : ' later')) : '';
    };
    canvas.addEventListener('pointermove', (e) => {
      const box = canvas.getBoundingClientRect();
      const { x, y } = place(box.width, box.height);
      let best = 14;
      near = null;
      for (const p of pairs) {
        const d = Math.hypot(x(p) - (e.clientX - box.left), y(p) - (e.clientY - box.top));
        if (d < best) {
          best = d;
          near = p;
        }
      }
      draw();
    });
    canvas.addEventListener('pointerleave', () => {
      near = null;
      draw();
    });
    scatter = draw;
    draw();
  };

  // ---- The whole page --------------------------------------------------------------------------------------------------------

  const tiles = () => {
    const s = run.summary;
    const list = [];
    if (s.deadlines) list.push(['deadlines met', number(s.met), ' of ' + number(s.deadlines)]);
    list.push(['makespan', span(s.makespan_s)], ['mean response', span(s.mean_response_s)], ['95 % within', span(s.p95_response_s)],
      ['map slots used', percent(s.map_utilization)], ['reduce slots used', percent(s.reduce_utilization)], ['local maps', percent(s.map_locality)],
      ['jobs finished', number(s.finished), ' of ' + number(s.jobs)], ['attempts', number(s.attempts)]);
    if (s.missed > 0) list.splice(1, 0, ['deadlines missed', number(s.missed), '', true]);
    if (s.failed > 0) list.push(['jobs failed', number(s.failed), '', true]);
    if (s.energy_kwh !== null && s.energy_kwh !== undefined) list.push(['energy', number(s.energy_kwh), ' kWh']);
    el('tiles').replaceChildren(...list.map(([name, value, more, bad]) => make('div', {}, make('dt', {}, name), make('dd', { class: bad ? 'bad' : null }, value, more ? make('small', {}, more) : ''))));
  };
  const allRuns = () => {
    const heads = ['policy', '>seed', '>met', '>of', '>penalty', '>makespan', '>mean response', '>95 %', '>local maps', '>map slots', '>reduce slots', '>attempts', '>failed', '>turned away'];
    const scenarios = [...new Set(data.runs.map((r) => r.scenario))];
    el('runs').replaceChildren(...scenarios.map((name) => {
      const list = data.runs.map((r, i) => i).filter((i) => data.runs[i].scenario === name);
      return tableOf(name, heads, list.map((i) => {
        const r = data.runs[i], s = r.summary;
        return [make('button', { type: 'button', onclick: () => choose(i, true) }, r.policy + (r.world === 'sim' ? '' : ', on this machine')), r.seed, number(s.met), number(s.deadlines), few(s.penalty), span(s.makespan_s), span(s.mean_response_s), span(s.p95_response_s), percent(s.map_locality), percent(s.map_utilization), percent(s.reduce_utilization), number(s.attempts), number(s.failed), number(s.rejected)];
      }), list.indexOf(run.at));
    }));
    el('omitted').textContent = data.omitted ? number(data.omitted) + ' more runs had no room in this page; the JSON report has all.' : '';
  };

  const fill = () => {
    el('name').textContent = run.scenario;
    const g = run.gantt;
    el('about').textContent = run.policy + ', seed ' + run.seed + ', ' + (run.world === 'sim' ? 'in the simulator' : 'on this machine') + ': ' + number(run.summary.jobs) + ' jobs, ' + number(run.summary.tasks) + ' tasks, ' + span(run.end / second);
    tiles();
    el('run').value = run.at;
    el('before').disabled = run.at === 0;
    el('after').disabled = run.at === data.runs.length - 1;
    filterRows();
    el('gantt').hidden = !g;
    const bars = g ? g.begin.length : 0;
    el('level').textContent = !g ? 'The slots of this run are not drawn: ' + (run.series ? 'the page has so many runs that those of the first seeds took the room.' : 'it is known from its report only.')
      : g.level === 'slot' ? 'A row is a slot, a bar ' + (bars && g.flags.some((f) => f & 8) ? 'an attempt of a task, or several short ones after each other (' + number(bars) + ' bars).' : 'an attempt of a task.')
      : 'A row is ' + { node: 'what a node has of a kind of slot', rack: 'what a rack has of a kind of slot', cluster: 'all slots of a kind' }[g.level] + ', a bar the share of them in use and the job that used most: one by one the ' + number(run.summary.attempts) + ' attempts would not fit into a page. --chrome FILE writes them all.';
    makeStrips();
    Object.assign(view, { from: 0, to: run.end });
    clampView();
    drawGantt();
    for (const s of strips) s.draw();
  };
  const fillRest = () => {
    makeCurves();
    for (const c of curveCharts) c.draw();
    makePromises();
    chooseOther();
    allRuns();
  };
  const choose = (i, scroll) => {
    followed = marked = cursor = null;
    showTip(null);
    run = load(i);
    fill();
    fillRest();
    if (scroll) window.scrollTo({ top: 0, behavior: 'smooth' });
  };
  const redrawAll = () => {
    theme();
    if (!run) return;
    redraw();
    for (const c of curveCharts) c.draw();
    if (scatter) scatter();
  };

  theme();
  if (!data.runs.length) {
    el('name').textContent = 'No runs';
    document.documentElement.dataset.ready = performance.now().toFixed(1);
    return;
  }
  const groups = new Map();
  data.runs.forEach((r, i) => {
    if (!groups.has(r.scenario)) groups.set(r.scenario, []);
    groups.get(r.scenario).push(make('option', { value: i }, nameOf(r)));
  });
  for (const [name, options] of groups) el('run').append(...(groups.size > 1 ? [make('optgroup', { label: name }, ...options)] : options));
  run = load(0);
  if (!run.promised) el('colour').value = new Set(run.jobs.class).size > 1 ? 'class' : 'job';
  fill();
  // What was measured when the drawing stood: for tests, and for whoever asks.
  const root = document.documentElement.dataset;
  root.firstDraw = performance.now().toFixed(1);
  requestAnimationFrame(() => setTimeout(() => {
    root.firstPaint = performance.now().toFixed(1);
    fillRest();
    root.ready = performance.now().toFixed(1);
  }));

  el('run').addEventListener('change', (e) => choose(Number(e.target.value)));
  el('before').addEventListener('click', () => run.at > 0 && choose(run.at - 1));
  el('after').addEventListener('click', () => run.at + 1 < data.runs.length && choose(run.at + 1));
  el('colour').addEventListener('change', redraw);
  el('kind').addEventListener('change', () => {
    filterRows();
    clampView();
  });
  el('closer').addEventListener('click', () => zoom(0.5));
  el('wider').addEventListener('click', () => zoom(2));
  el('taller').addEventListener('click', () => zoomRows(0.5));
  el('whole').addEventListener('click', whole);
  el('show').addEventListener('change', () => {
    listing.page = 0;
    fillPromises();
  });
  el('search').addEventListener('input', () => {
    listing.page = 0;
    fillPromises();
  });
  el('against').addEventListener('change', makeDiffer);
  el('pick').addEventListener('submit', (e) => e.preventDefault());
  dark.addEventListener('change', () => {
    redrawAll();
    choose(run.at);
  });
  window.addEventListener('resize', redrawAll);
  listenToGantt();
  // What tests compare with what was written: the run shown, decoded.
  window.slackline = { runs: data.runs.length, load, view };
})();
