// Tables, and the jobs with their promises.

// scrolled lets a table that is too wide be moved, by the keyboard too.
const scrolled = (table) => make('div', { class: 'scroll', tabindex: 0, role: 'group', 'aria-label': table.caption.textContent }, table);
// tableOf makes a table; a heading that begins with > is flush right. A cell may be a text or an element.
const tableOf = (caption, heads, rows, current) => {
  const right = heads.map((h) => (typeof h === 'string' ? h : h.text).startsWith('>'));
  const head = make('tr', {}, ...heads.map((h, i) => {
    const text = (typeof h === 'string' ? h : h.text).replace(/^>/, '');
    const cell = make(text ? 'th' : 'td', { scope: text ? 'col' : null, class: right[i] ? 'right' : null, 'aria-sort': h.sorted }, h.press ? make('button', { type: 'button', onclick: h.press }, text + (h.sorted ? (h.sorted === 'ascending' ? ' ↑' : ' ↓') : '')) : text);
    return cell;
  }));
  const body = rows.map((row, n) => make('tr', { class: n === current ? 'now' : null }, ...row.map((cell, i) => {
    const e = make(i === 0 ? 'th' : 'td', { class: right[i] ? 'right' : null, scope: i === 0 ? 'row' : null, 'data-head': i > 1 ? (heads[i].text || heads[i]).replace(/^>/, '') : null }, cell);
    if (typeof cell === 'string' && cell.length > 30) e.title = cell;
    return e;
  })));
  return make('table', {}, make('caption', {}, caption), make('thead', {}, head), make('tbody', {}, ...body));
};

const pageLength = 25;
const listing = { page: 0, key: 'slack', up: true };
const columns = [
  { text: 'job', key: 'id', value: (k) => run.jobs.ids[k] },
  { text: 'outcome', key: 'verdict', value: (k) => verdict(run, k) },
  { text: '>deadline', key: 'deadline', value: (k) => run.deadline[k], print: time },
  { text: 'why', key: 'why', value: (k) => run.reasons[k] || '' },
  { text: 'class', key: 'class', value: (k) => run.jobs.names[run.jobs.class[k]] },
  { text: '>maps', key: 'maps', value: (k) => run.jobs.maps[k], print: number },
  { text: '>reduces', key: 'reduces', value: (k) => run.jobs.reduces[k], print: number },
  { text: '>submitted', key: 'submitted', value: (k) => run.jobs.submitted[k], print: time },
  { text: '>slack', key: 'slack', value: (k) => run.deadline[k] - run.finished[k], print: time },
  { text: '>finished', key: 'finished', value: (k) => run.finished[k], print: time },
  { text: '>response', key: 'response', value: (k) => run.finished[k] - run.jobs.submitted[k], print: time },
];
const makePromises = () => {
  const counts = Object.fromEntries(outcomes.map((v) => [v, 0]));
  for (let k = 0; k < run.jobs.n; k++) counts[verdict(run, k)]++;
  const s = run.summary;
  const bar = make('div', { class: 'share', 'aria-hidden': 'true' });
  const legend = make('div', { class: 'legend' });
  const of = verdictHue();
  for (const v of outcomes) {
    if (!counts[v]) continue;
    const part = make('i'), key = make('i');
    part.style.flexGrow = counts[v];
    part.style.background = key.style.background = of[v];
    bar.append(part);
    legend.append(make('span', {}, key, v + ' ' + number(counts[v])));
  }
  const listed = run.jobs.n < run.jobs.total ? ' Listed are ' + number(run.jobs.n) + ' of ' + number(run.jobs.total) + ' jobs: those that differ or are late the most, and an even choice of the others; the JSON report has all.' : '';
  el('kept').replaceChildren(make('p', {}, number(s.in_time) + ' of ' + number(s.deadlines) + ' jobs with a deadline finished in time. ' + number(s.admitted) + ' of all ' + number(s.jobs) + ' jobs were accepted, ' + number(s.refused) + ' refused; ' + (s.promised ? number(s.kept) + ' of ' + number(s.promised) + ' promises were kept.' : 'nothing was promised.') + (s.soft_deadlines ? ' ' + number(s.soft_in_time) + ' of ' + number(s.soft_deadlines) + ' soft deadlines were met.' : '') + listed), bar, legend,
    ...(run.promises ? [tableOf('Deadlines by class', ['class', '>in time', '>of', '>part'], run.promises.map((p) => [p.class, number(p.in_time), number(p.deadlines), percent(p.in_time / p.deadlines)]))] : []),
    ...(run.kept ? [tableOf('Promises as stated and as kept', run.kept[0], run.kept.slice(1))] : []),
    ...(run.workflows || []).map((w) => scrolled(tableOf(w.title, w.rows[0], w.rows.slice(1).map((row) => row.map((text, i) => i === row.length - 1 ? make('span', { class: 'bars' }, text) : text))))));
  const show = el('show');
  const before = show.value;
  const options = [['due', 'jobs with a deadline', run.promised], ['all', 'all jobs', run.jobs.n], ...outcomes.map((v) => [v, v, counts[v]])];
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
      return make('span', { class: tooLate(v) || v === 'failed' || v === 'refused' ? 'bad' : null }, v);
    }
    const value = c.value(k);
    if (c.key === 'why') return make('span', { class: 'why' }, value);
    return c.print ? (typeof value === 'number' && isNaN(value) ? '–' : c.print(value)) : value;
  }));
  el('jobs').replaceChildren(tableOf(list.length ? 'Press a heading to sort, a job to see it in the drawing and where its time went' : 'No such job', heads, rows));
  const go = (by) => () => {
    listing.page += by;
    fillPromises();
  };
  el('pages').replaceChildren(
    make('button', { type: 'button', onclick: go(-1), disabled: listing.page === 0 ? '' : null }, '‹ before'),
    make('span', { class: 'note' }, 'page ' + number(listing.page + 1) + ' of ' + number(pages)),
    make('button', { type: 'button', onclick: go(1), disabled: listing.page === pages - 1 ? '' : null }, 'next ›'));
};
// showAccount says where the time of the job that is followed went.
const showAccount = () => {
  const box = el('account'), k = followed;
  box.hidden = k === null;
  if (k === null) return;
  const v = verdict(run, k), a = (run.accounts || {})[k], due = run.deadline[k];
  box.replaceChildren(make('h3', { id: 'h-account' }, 'Why ' + run.jobs.ids[k] + ' was ' + v),
    make('p', {}, 'Submitted at ' + time(run.jobs.submitted[k]) + ', finished at ' + time(run.finished[k]) + (isNaN(due) ? '' : ', deadline ' + time(due) + (inTime(v) || tooLate(v) ? ': ' + (inTime(v) ? 'in time' : 'late') + ' by ' + time(Math.abs(due - run.finished[k])) : '')) + '. ' + (run.reasons[k] || '')),
    ...(run.receipts[k] ? [make('p', {}, 'Energy: ' + run.receipts[k] + '.')] : []),
    ...(a ? [scrolled(tableOf('Where its time went, from its arrival to its end', ['>time', 'went to'], a.totals)),
      make('details', {}, make('summary', {}, 'The way there, through its last tasks'), scrolled(tableOf(a.more ? number(a.more) + ' more parts are not listed' : 'One part after another', ['>after', '>time', 'what', 'who or why'], a.parts.map((p) => [p[0], p[1], p[2], p.slice(3).join('; ')]))))]
      : [make('p', { class: 'note' }, 'Its account is not in this page; slackline why tells it, for a run that was kept (--keep, --journal).')]));
};
// jobButton leads to a job in the drawing of the slots.
const jobButton = (k) => make('button', { type: 'button', onclick: () => {
  followed = k;
  showAccount();
  const ends = [run.jobs.submitted[k], run.finished[k], run.deadline[k]].filter((t) => !isNaN(t));
  const from = Math.min(...ends), to = Math.max(...ends);
  const room = Math.max((to - from) * 0.15, run.end / 1000);
  view.from = from - room;
  view.to = to + room;
  clampView();
  el('gantt').scrollIntoView({ block: 'center', behavior: 'smooth' });
  el('gantt').focus({ preventScroll: true });
} }, run.jobs.ids[k]);
