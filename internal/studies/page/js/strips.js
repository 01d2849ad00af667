// Charts on the scale of time of the drawing of slots.

// strip makes a chart on the scale of time of the drawing above it.
const strip = (title, lines, top, print, choice) => {
  const canvas = make('canvas', { role: 'img' });
  const out = make('output');
  const legend = make('span', { class: 'legend' });
  const figure = make('figure', {}, make('figcaption', {}, make('b', {}, title, choice), legend, out), canvas);
  for (const l of lines) {
    const i = make('i', { class: 'stroke' + (l.dash ? ' dashed' : '') });
    i.style.borderColor = hue[l.hue];
    legend.append(make('span', {}, i, l.name));
  }
  const mean = (l) => l.values.reduce((a, b) => a + b, 0) / Math.max(1, l.values.length);
  canvas.setAttribute('aria-label', title + ' over time: ' + lines.map((l) => l.name + ' ' + print(mean(l)) + ' on average, ' + print(Math.max(...l.values, 0)) + ' at most').join('; '));
  const most = top || Math.max(1e-9, ...piled(lines).map((l) => l.values.reduce((a, b) => Math.max(a, b), 0)));
  const paint = (c, width, height) => {
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
    for (const l of piled(lines)) {
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
        c.globalAlpha = l.piled ? 1 : 0.22;
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
    c.restore();
  };
  const draw = () => {
    const { c, width, height } = layered(canvas, 92, '', paint);
    drawCursor(c, gutter(width), width, height - 6);
    if (cursor === null) out.textContent = '';
    else {
      const i = Math.floor(cursor / run.series.width);
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

// piled puts lines that are parts of a whole on top of each other, the last behind all others.
const piled = (lines) => {
  if (!lines.length || !lines[0].part) return lines;
  let below = [];
  return lines.map((l) => ({ ...l, piled: true, values: (below = Array.from({ length: Math.max(below.length, l.values.length) }, (_, i) => (below[i] || 0) + (l.values[i] || 0))) })).reverse();
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
    const groups = groupStrip(s);
    if (groups) strips.push(groups);
    if (s.power) strips.push(strip('Power that nodes draw', [{ name: 'all', values: s.power, hue: 'blue' }, ...(s['supply green-power'] ? [{ name: 'brown', values: s.brown || [], hue: 'orange', dash: true }] : [])], 0, (x) => number(x) + ' W'));
    for (const [key, title, unit] of [['green-power', 'Green power', ' W'], ['price', 'Price of power', ''], ['carbon', 'Carbon dioxide of power', ' g a kWh'], ['capacity', 'Part of the capacity', '']]) {
      if (s['supply ' + key]) strips.push(strip(title, [{ name: title.toLowerCase(), values: s['supply ' + key].map((x) => x / 1000), hue: 'green' }], 0, (x) => (Math.abs(x) < 1 ? +x.toPrecision(2) : number(x)) + unit));
    }
    strips.push(strip('Tasks waiting', [{ name: 'maps', values: s.mapsWaiting || [], hue: 'blue' }, { name: 'reduces and others', values: s.reducesWaiting || [], hue: 'orange', dash: true }], 0, number));
    strips.push(strip('Jobs', [{ name: 'with a running task', values: s.jobsRunning || [], hue: 'green' }, { name: 'waiting', values: s.jobsWaiting || [], hue: 'pink', dash: true }], 0, number));
  }
  strips.push(...[unusual(), promised()].filter((x) => x));
  el('over').replaceChildren(...strips.map((x) => x.figure), ...(s ? [seriesTable(s)] : []));
};
// seriesTable has the numbers of the charts as means over some two dozen stretches, for who cannot see them.
const seriesTable = (s) => {
  const heads = [['mapHeld', 'map slots held'], ['reduceHeld', 'reduce slots held'], ['running', 'attempts running'], ['mapsWaiting', 'maps waiting'], ['reducesWaiting', 'other tasks waiting'], ['jobsRunning', 'jobs running'], ['jobsWaiting', 'jobs waiting']].filter(([k]) => s[k]);
  const details = make('details', {}, make('summary', {}, 'As a table'));
  details.addEventListener('toggle', () => {
    if (details.childElementCount > 1) return;
    const n = Math.max(0, ...heads.map(([k]) => s[k].length));
    const each = Math.max(1, Math.ceil(n / 24));
    const rows = [];
    for (let i = 0; i < n; i += each) {
      const to = Math.min(n, i + each);
      rows.push([time(i * s.width) + ' – ' + time(Math.min(run.end, to * s.width)), ...heads.map(([k]) => number(s[k].slice(i, to).reduce((a, b) => a + b, 0) / (to - i)))]);
    }
    details.append(scrolled(tableOf('Means', ['time', ...heads.map(([, h]) => '>' + h)], rows)));
  });
  return details;
};
