// Jobs that finish at another time under another policy.

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
  let won = 0, lost = 0; // deadlines, also of jobs that do not finish under both
  for (let k = 0; k < run.jobs.n; k++) {
    const o = other.jobs === run.jobs ? k : other.jobs.byID.get(run.jobs.ids[k]);
    if (o === undefined) continue;
    const by = run.finished[k] - other.finished[o];
    if (inTime(verdict(run, k)) && !inTime(verdict(other, o))) won++;
    if (!inTime(verdict(run, k)) && inTime(verdict(other, o))) lost++;
    if (!isNaN(by)) pairs.push({ k, o, by });
  }
  const earlier = pairs.filter((p) => p.by < 0).length, later = pairs.filter((p) => p.by > 0).length;
  const sorted = pairs.map((p) => p.by).sort((a, b) => a - b);
  el('differ').textContent = 'Of ' + number(pairs.length) + ' jobs that finish under both, ' + number(earlier) + ' finish earlier under ' + run.policy + ' than under ' + other.policy + ', ' + number(later) + ' later' + (pairs.length ? '; in the median ' + (sorted[sorted.length >> 1] === 0 ? 'at the same time' : time(Math.abs(sorted[sorted.length >> 1])) + (sorted[sorted.length >> 1] < 0 ? ' earlier' : ' later')) : '') + '. ' + 'Of all jobs ' + number(won) + ' are in time that are not under ' + other.policy + ', and ' + number(lost) + ' are not that are there.';
  const most = [...pairs].filter((p) => p.by !== 0).sort((a, b) => Math.abs(b.by) - Math.abs(a.by)).slice(0, 15);
  if (most.length) {
    el('most').replaceChildren(tableOf('The jobs that differ most', ['job', 'class', '>maps', '>submitted', '>deadline', '>' + run.policy, '>' + other.policy, '>difference', 'outcome'], most.map((p) => [jobButton(p.k), run.jobs.names[run.jobs.class[p.k]], number(run.jobs.maps[p.k]), time(run.jobs.submitted[p.k]), isNaN(run.deadline[p.k]) ? '–' : time(run.deadline[p.k]), time(run.finished[p.k]), time(other.finished[p.o]), time(Math.abs(p.by)) + (p.by < 0 ? ' earlier' : ' later'), verdict(run, p.k) + (verdict(run, p.k) === verdict(other, p.o) ? '' : ', there ' + verdict(other, p.o))])));
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
