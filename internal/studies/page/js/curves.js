// Distributions of response time and tardiness.

// companions are the runs of the same scenario and seed, this one among them.
const companions = () => data.runs.map((r, i) => i).filter((i) => data.runs[i].group === run.group);
const curveX = (c, i) => (i === c.part.length - 1 || !c.high ? c.high : c.low * Math.pow(c.high / c.low, i / (c.part.length - 1)));
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
  for (const [key, title, none] of [['response', 'Response time of the jobs that finished', 'No job finished.'], ['tardiness', 'How much later than its deadline a job finished', 'No finished job had a deadline.']]) {
    const lines = group.map((i, n) => ({ i, name: data.runs[i].policy + (data.runs[i].world === 'sim' ? '' : ', on this machine'), curve: data.runs[i][key], colour: list[n % list.length], dash: [[], [6, 3], [2, 3]][Math.floor(n / list.length) % 3] })).filter((l) => l.curve);
    for (const l of lines) table.push([key === 'response' ? 'response' : 'tardiness', l.name, number(l.curve.n), ...[0.5, 0.9, 0.95, 0.99].map((q) => (key === 'tardiness' && l.curve.zero / 10000 >= q ? 'in time' : span(quantile(l.curve, q)))), key === 'tardiness' && !l.curve.high ? 'in time' : span(l.curve.high)]);
    const canvas = make('canvas', { role: 'img', 'aria-label': title + ', as a share of the jobs that finished, by policy; the table below has the numbers' });
    const legend = make('span', { class: 'legend' });
    const out = make('output');
    const figure = make('figure', {}, make('figcaption', {}, make('b', {}, title), out), lines.length ? canvas : make('p', { class: 'note' }, none), legend);
    for (const l of lines) {
      const i = make('i', { class: 'stroke' + (l.dash.length ? ' dashed' : '') });
      i.style.borderColor = l.colour;
      legend.append(make('span', {}, i, l.name + ': ' + number(l.curve.n) + ' of ' + number(key === 'tardiness' ? data.runs[l.i].summary.deadlines : data.runs[l.i].summary.jobs) + ' jobs'));
    }
    const unlike = new Set(lines.map((l) => l.curve.n)).size > 1;
    if (unlike) figure.append(make('p', { class: 'note' }, 'The policies did not finish the same jobs' + (key === 'tardiness' ? '.' : ': who refuses those that take long looks faster.')));
    const above = lines.filter((l) => l.curve.high); // others have nothing above 0
    const low = above.length ? Math.min(...above.map((l) => l.curve.low)) : 1, high = Math.max(2 * low, ...above.map((l) => l.curve.high));
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
        if (l.curve.high) c.lineTo(x(l.curve.low), y(l.curve.zero / 10000));
        if (l.curve.high) l.curve.part.forEach((p, i) => {
            c.lineTo(x(curveX(l.curve, i)), y((i ? l.curve.part[i - 1] : l.curve.zero) / 10000));
            c.lineTo(x(curveX(l.curve, i)), y(p / 10000));
          });
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
