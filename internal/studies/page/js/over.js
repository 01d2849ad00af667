// What goes over time besides use and queues: attempts by group, what is unusual on nodes, and promises.

// groupStrip has the attempts that run by class, queue or user.
let groupBy = '';
const groupStrip = (s) => {
  const kinds = Object.keys(s.by || {}).filter((k) => s.by[k].length > 1);
  if (!kinds.length) return null;
  if (!kinds.includes(groupBy)) groupBy = kinds[0];
  const colours = ['blue', 'orange', 'green', 'pink', 'sky', 'yellow', 'grey'];
  const choice = make('label', {}, ' by ', make('select', { id: 'by', onchange: (e) => {
    groupBy = e.target.value;
    makeStrips();
    redraw();
  } }, ...kinds.map((k) => make('option', { value: k, selected: k === groupBy ? '' : null }, k))));
  return strip('Attempts running', s.by[groupBy].map((name, i) => ({ name, values: s[groupBy + ' ' + i] || [], hue: colours[i % 7], part: true })), 0, number, choice);
};

// lane makes a chart with rows on the scale of time of the drawing of slots: what paint draws, and what it is called.
const lane = (title, key, said, height, paint, near) => {
  const canvas = make('canvas', { role: 'img', 'aria-label': title + ': ' + said });
  const out = make('output');
  const figure = make('figure', {}, make('figcaption', {}, make('b', {}, title), key, out), canvas);
  const draw = () => {
    const { c, width, height: h } = layered(canvas, height, '', paint);
    drawCursor(c, gutter(width), width, h);
  };
  canvas.addEventListener('pointermove', (e) => {
    const box = canvas.getBoundingClientRect();
    out.textContent = near(timeAt(e.clientX - box.left, box.width), e.clientY - box.top, box) || '';
    setCursor(timeAt(e.clientX - box.left, box.width));
  });
  canvas.addEventListener('pointerleave', () => {
    out.textContent = '';
    setCursor(null);
  });
  return { figure, draw };
};
const keyOf = (list) => make('span', { class: 'legend' }, ...list.map(([name, colour]) => {
  const i = make('i');
  i.style.background = hue[colour];
  return make('span', {}, i, name);
}));

// unusual has a row for each node on which anything was unusual, and above them the deadlines.
const markNames = [['down', 'grey'], ['slower', 'yellow'], ['attempt failed', 'red'], ['attempt lost', 'pink'], ['attempt killed', 'orange'], ['attempt preempted', 'sky']];
const slower = 1; // of which the count is the speed, in percent
const unusual = () => {
  const m = run.marks;
  const due = [];
  for (let k = 0; k < run.jobs.n; k++) if (!isNaN(run.deadline[k])) due.push(k);
  if (!m && !due.length) return null;
  const counts = markNames.map((_, kind) => (m ? m.kind.reduce((n, x, i) => n + (x === kind ? (kind === slower ? 1 : m.count[i]) : 0), 0) : 0));
  const shown = markNames.map((x, i) => [...x, counts[i]]).filter((x) => x[2]);
  const rows = m ? m.nodes.length : 0, first = due.length ? 18 : 0;
  const height = first + Math.max(rows ? 40 : 0, Math.min(240, rows * 12)) + 4;
  const rowHeight = (height - first - 4) / Math.max(1, rows);
  const paint = (c, width) => {
    const left = gutter(width);
    c.fillStyle = ink.soft;
    c.textAlign = 'right';
    if (first) c.fillText(short(c, 'deadlines', left - 10), left - 6, 8);
    for (let r = 0, free = -1; r < rows; r++) {
      const y = first + (r + 0.5) * rowHeight;
      if (y < free) continue;
      c.fillText(short(c, m.nodes[r], left - 10), left - 6, y);
      free = y + 12;
    }
    c.save();
    c.beginPath();
    c.rect(left, 0, width - left, height);
    c.clip();
    c.fillStyle = ink.idle;
    c.fillRect(left, first, width - left, height - first - 4);
    const of = verdictHue();
    for (const k of due) {
      c.fillStyle = of[verdict(run, k)] || hue.grey;
      c.fillRect(xOf(run.deadline[k], left, width) - 1, 1, 2, 14);
    }
    for (let i = 0; m && i < m.kind.length; i++) {
      const x = xOf(m.begin[i], left, width);
      c.fillStyle = hue[markNames[m.kind[i]][1]];
      c.globalAlpha = m.kind[i] === slower ? 1 - 0.75 * (m.count[i] / 100) : 1;
      c.fillRect(x - 1, first + m.node[i] * rowHeight, Math.max(3, xOf(m.begin[i] + m.length[i], left, width) - x), Math.max(1, rowHeight - 1));
    }
    c.globalAlpha = 1;
    c.restore();
  };
  const near = (t, y, box) => {
    if (t === null) return '';
    const slack = (4 / box.width) * (view.to - view.from), list = [];
    if (y < first) return due.filter((k) => Math.abs(run.deadline[k] - t) < slack).slice(0, 3).map((k) => run.jobs.ids[k] + ', due ' + time(run.deadline[k]) + ': ' + verdict(run, k)).join('; ');
    for (let i = 0; m && i < m.kind.length; i++) if (m.node[i] === Math.floor((y - first) / rowHeight) && m.begin[i] - slack <= t && t <= m.begin[i] + m.length[i] + slack) list.push(m.nodes[m.node[i]] + ' ' + markNames[m.kind[i]][0] + (m.kind[i] === slower ? ', at ' + m.count[i] + ' % of its speed,' : m.count[i] > 1 ? ' × ' + m.count[i] : '') + ' ' + time(m.begin[i]) + (m.length[i] ? ' – ' + time(m.begin[i] + m.length[i]) : ''));
    return list.slice(0, 3).join('; ');
  };
  const said = [...shown.map((x) => x[0] + ' ' + number(x[2])), ...(due.length ? ['deadlines ' + number(due.length)] : [])].join(', ');
  return lane('What was unusual', keyOf(shown.map((x) => [x[0] + ' ' + number(x[2]), x[1]])), said, height, paint, near);
};

// promised has a bar for each statement of a job's finish: from what half of such jobs need to what was promised, less when the job did
// finish. A bar around or above the line in the middle kept its word. The scale is as that of the differences between policies.
const promised = () => {
  const s = run.stated;
  if (!s || !s.job.length) return null;
  const list = s.job.map((k, i) => ({ k, at: s.at[i], half: (s.half[i] || NaN) - run.finished[k], by: s.by[i] - run.finished[k] })).filter((p) => !isNaN(p.by));
  if (!list.length) return null;
  const largest = list.reduce((most, p) => Math.max(most, Math.abs(p.by), Math.abs(p.half) || 0), 1), linear = largest / 1000;
  const height = 120, middle = height / 2;
  const y = (v) => middle - (Math.asinh(v / linear) / Math.asinh(largest / linear)) * (middle - 8);
  const kept = list.filter((p) => p.by >= 0).length;
  const paint = (c, width) => {
    const left = gutter(width);
    c.fillStyle = ink.soft;
    c.textAlign = 'right';
    for (const part of [1, 0.03, 0, -0.03, -1]) {
      c.strokeStyle = part === 0 ? ink.soft : ink.rule;
      c.beginPath();
      c.moveTo(left, Math.round(y(part * largest)) + 0.5);
      c.lineTo(width, Math.round(y(part * largest)) + 0.5);
      c.stroke();
      c.fillText(part === 0 ? 'as it came' : (part > 0 ? '+' : '') + time(part * largest), left - 6, y(part * largest));
    }
    c.save();
    c.beginPath();
    c.rect(left, 0, width - left, height);
    c.clip();
    for (const p of list) {
      const x = xOf(p.at, left, width), top = y(p.by), bottom = isNaN(p.half) ? top : y(p.half);
      c.fillStyle = p.by >= 0 ? hue.blue : hue.red;
      c.globalAlpha = 0.7;
      c.fillRect(x - 1, Math.min(top, bottom) - 1, 2, Math.abs(bottom - top) + 2);
      c.globalAlpha = 1;
      c.fillRect(x - 3, top - 1.5, 6, 3);
    }
    c.restore();
  };
  const near = (t, _, box) => {
    const best = t === null ? null : list.reduce((a, b) => (a && Math.abs(a.at - t) <= Math.abs(b.at - t) ? a : b), null);
    return best && Math.abs(best.at - t) < (8 / box.width) * (view.to - view.from) ? run.jobs.ids[best.k] + ': said at ' + time(best.at) + ', finished ' + time(Math.abs(best.by)) + (best.by >= 0 ? ' before' : ' after') + ' its promise' : '';
  };
  return lane('When jobs were said to be done, less when they were', keyOf([['finished by then ' + number(kept), 'blue'], ['later ' + number(list.length - kept), 'red']]), number(list.length) + ' statements, ' + number(kept) + ' of them kept', height, paint, near);
};
