// The drawing of who ran when.

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
        const v = k === undefined ? 'not listed' : verdict(run, k);
        colours[i] = colour(v, v, of[v] || hue.grey);
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
  const { c, width, height } = layered(canvas, ganttHeight() + axis, el('colour').value + el('kind').value + followed, paintBars);
  const left = gutter(width), bottom = height - axis;
  c.save();
  c.beginPath();
  c.rect(left, 0, width - left, bottom);
  c.clip();
  if (followed !== null) drawFollowed(c, left, width, bottom);
  if (marked) {
    const i = marked.bar, rowHeight = bottom / view.rows;
    const x = xOf(g.begin[i], left, width);
    c.strokeStyle = ink.ink;
    c.lineWidth = 2;
    c.strokeRect(x, (marked.row - view.top) * rowHeight, Math.max(3, xOf(g.end[i], left, width) - x), Math.max(3, rowHeight - 1));
  }
  drawCursor(c, left, width, bottom);
  c.restore();
  canvas.setAttribute('aria-label', 'Slots over time: ' + rowsShown.length + ' rows, ' + time(view.from) + ' to ' + time(view.to) + '. Use the arrow keys to move.');
};

// paintBars draws all that does not move with the pointer.
const paintBars = (c, width, height) => {
  const g = run.gantt;
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
