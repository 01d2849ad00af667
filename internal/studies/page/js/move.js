// Wheel, pointer and keys on the drawing of slots.

let planned = false;
// redraw draws once before the next frame, however often it is asked.
const redraw = () => {
  if (planned) return;
  planned = true;
  requestAnimationFrame(() => {
    planned = false;
    drawGantt();
    for (const s of strips) s.draw();
    remember();
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
    if (!isNaN(run.deadline[k])) list.push('job due ' + time(run.deadline[k]) + ': ' + v + (inTime(v) || tooLate(v) ? ' by ' + time(Math.abs(run.deadline[k] - run.finished[k])) : ''));
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
  showAccount();
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
      Escape: () => { followed = null; showAccount(); mark(null); },
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
