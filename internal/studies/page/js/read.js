// What is in the file: the data block, decoded when it is looked at.

const data = JSON.parse(document.getElementById('data').textContent);
const second = 1e9 / data.unit; // in ticks
const outcomes = ['refused', 'kept', 'broken', 'met', 'late', 'done', 'failed', 'killed', 'interrupted', 'unfinished'];
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
      if (!(b > 127)) return x; // at the end of the text too
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

// readRows reads rows of so many numbers as a list for each name.
const readRows = (text, names) => {
  const all = read(text);
  return Object.fromEntries(names.map((name, k) => [name, all.filter((_, i) => i % names.length === k)]));
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
    run.outcome[k] = f & 15;
    run.admitted[k] = f >> 4;
    run.started[k] = set.submitted[k] + started.maybe();
    run.finished[k] = set.submitted[k] + finished.maybe();
    run.deadline[k] = set.submitted[k] + deadline.maybe();
    if (!isNaN(run.deadline[k])) run.promised++;
  }
  run.gantt = r.gantt && readGantt(r.gantt);
  run.series = r.series && readSeries(r.series);
  run.marks = r.marks && { nodes: r.marks.nodes, ...readRows(r.marks.list, ['node', 'kind', 'begin', 'length', 'count']) };
  run.stated = r.stated && readRows(r.stated, ['job', 'at', 'half', 'by']);
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
  const list = { width: s.width, by: s.by };
  for (const name of Object.keys(s.data)) {
    const c = column(s.data[name]);
    const values = [];
    for (let at = 0; c.more(); ) values.push(((at += c.signed()) * s.max[name]) / 10000);
    list[name] = values;
  }
  return list;
};
