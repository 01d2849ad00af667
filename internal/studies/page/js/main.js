// The whole page: what is filled in, when, and what is listened to.

// use is the part of a resource that was in use; a dash where there was none of it.
const use = (s, rate, there) => s[there] === 0 || s[rate] === null || s[rate] === undefined ? '–' : percent(s[rate]);
const hasCores = (s) => s.vcore_utilization !== null && s.vcore_utilization !== undefined;
const finished = (s) => s.kept + s.broken + s.met + s.late + s.done;
// known says a figure that a run may lack.
const known = (x, say) => (x === null || x === undefined ? '–' : say(x));
const makespan = (s) => (s.attempts || finished(s) ? span(s.makespan_s) : '–');
const tiles = () => {
  const s = run.summary;
  const list = [];
  if (s.deadlines) list.push(['in time', number(s.in_time), ' of ' + number(s.deadlines) + ' submitted']);
  if (s.deadlines && s.deadline_work_s) list.push(['work in time', percent(s.work_in_time_s / s.deadline_work_s), 'of the task time']);
  else if (s.deadlines && s.deadline_work_s === null) list.push(['work in time', 'not known', '']);
  if (s.refused) list.push(['refused', number(s.refused), ' of ' + number(s.jobs), true]);
  if (s.soft_deadlines) list.push(['soft in time', number(s.soft_in_time), ' of ' + number(s.soft_deadlines)]);
  list.push(['makespan', makespan(s)], ['mean response', known(s.mean_response_s, span)], ['95 % within', known(s.p95_response_s, span)],
    ['map slots', use(s, 'map_utilization', 'map_slots'), 'in use'], ['reduce slots', use(s, 'reduce_utilization', 'reduce_slots'), 'in use'],
    ...(hasCores(s) ? [['vcores', use(s, 'vcore_utilization', 'vcores'), 'in use']] : []), ['local maps', known(s.map_locality, percent)],
    ['jobs finished', number(finished(s)), ' of ' + number(s.jobs)], ['attempts', number(s.attempts)]);
  for (const o of ['failed', 'killed']) if (s[o]) list.push(['jobs ' + o, number(s[o]), '', true]);
  for (const [key, name, unit] of [['energy_kwh', 'energy', ' kWh'], ['green_kwh', 'of it green', ' kWh'], ['brown_kwh', 'brown', ' kWh'], ['energy_cost', 'cost of energy', ''], ['carbon_kg', 'carbon dioxide', ' kg']]) if (s[key] !== null && s[key] !== undefined) list.push([name, Math.abs(s[key]) < 100 ? few(s[key]) : number(s[key]), unit]);
  el('tiles').replaceChildren(...list.map(([name, value, more, bad]) => make('div', {}, make('dt', {}, name), make('dd', { class: bad ? 'bad' : null }, value, more ? make('small', {}, more) : ''))));
};
// bySeed has a table for each point: policies by seeds, the jobs in time or where none is due the mean response. A press shows the run.
const bySeed = () => {
  const points = [...new Set(data.runs.map((r) => r.scenario))];
  if (new Set(data.runs.map((r) => r.seed)).size < 2) return []; // the figures say it
  return points.map((name) => {
    const list = data.runs.map((r, i) => ({ ...r, i })).filter((r) => r.scenario === name);
    const seeds = [...new Set(list.map((r) => r.seed))], due = list.some((r) => r.summary.deadlines);
    const rows = [...new Set(list.map((r) => r.policy))].map((policy) => [policy, ...seeds.map((seed) => {
      const r = list.find((x) => x.policy === policy && x.seed === seed), s = r && r.summary;
      return s ? make('button', { type: 'button', title: nameOf(r), onclick: () => choose(r.i, true) }, r.stuck ? 'stuck' : due ? number(s.in_time) + ' of ' + number(s.deadlines) : known(s.mean_response_s, span)) : '–';
    })]);
    const table = scrolled(tableOf((due ? 'Jobs in time' : 'Mean response') + ' by policy and seed; press one to see the run', ['policy', ...seeds.map((s) => '>' + s)], rows));
    return points.length > 1 ? make('details', {}, make('summary', {}, name), table) : table;
  });
};
const allRuns = () => {
  const cores = data.runs.some((r) => hasCores(r.summary));
  const heads = ['policy', '>seed', '>in time', '>of', '>work in time', '>accepted', '>promises kept', '>penalty', '>makespan', '>mean response', '>95 %', '>local maps', '>map slots', '>reduce slots', ...(cores ? ['>vcores'] : []), '>attempts', '>failed', '>killed', '>refused'];
  const scenarios = [...new Set(data.runs.map((r) => r.scenario))];
  el('runs').replaceChildren(...scenarios.map((name) => {
    const list = data.runs.map((r, i) => i).filter((i) => data.runs[i].scenario === name);
    const table = tableOf(name, heads, list.map((i) => {
      const r = data.runs[i], s = r.summary;
      return [make('button', { type: 'button', onclick: () => choose(i, true) }, r.policy + (r.world === 'sim' ? '' : ', on this machine') + (r.stuck ? ', stuck' : '')), r.seed, number(s.in_time), number(s.deadlines), s.deadline_work_s ? percent(s.work_in_time_s / s.deadline_work_s) : '–', number(s.admitted) + ' of ' + number(s.jobs), s.promised ? number(s.kept) + ' of ' + number(s.promised) : '–', few(s.penalty), makespan(s), known(s.mean_response_s, span), known(s.p95_response_s, span), known(s.map_locality, percent), use(s, 'map_utilization', 'map_slots'), use(s, 'reduce_utilization', 'reduce_slots'), ...(cores ? [use(s, 'vcore_utilization', 'vcores')] : []), number(s.attempts), number(s.failed), number(s.killed), number(s.refused)];
    }), list.indexOf(run.at));
    return scrolled(table);
  }));
  el('omitted').textContent = data.omitted ? number(data.omitted) + ' more runs had no room in this page; the JSON report has all.' : '';
};

const fill = () => {
  const g = run.gantt;
  el('about').textContent = (new Set(data.runs.map((r) => r.scenario)).size > 1 ? run.scenario + ', ' : '') + run.policy + ', seed ' + run.seed + ', ' + (run.world === 'sim' ? 'in the simulator' : 'on this machine') + ': ' + number(run.summary.jobs) + ' jobs, ' + number(run.summary.tasks) + ' tasks, ' + span(run.end / second);
  el('stuck').hidden = !run.stuck;
  el('stuck').textContent = run.stuck ? 'This run did not come to its end: ' + run.stuck + '. Shown is what came until then; it counts in no comparison of policies.' : '';
  tiles();
  el('told').replaceChildren(...(run.told || []).map((line) => make('p', { class: 'note' }, line)));
  el('clouds').hidden = !run.clouds;
  el('asked').replaceChildren(...(run.clouds || []).map(([when, what]) => make('p', { class: 'note' }, make('b', {}, when), ' ' + what)));
  el('run').value = run.at;
  el('before').disabled = run.at === 0;
  el('after').disabled = run.at === data.runs.length - 1;
  filterRows();
  el('gantt').hidden = !g;
  const note = !g ? ['The slots of this run are not drawn: ' + (run.series ? 'the page has so many runs that those of the first seeds took the room.' : 'it is known from its report only.')]
    : g.level === 'slot' ? ['A row is a slot, a bar ' + (g.flags.some((f) => f & 8) ? 'an attempt of a task, or several short ones after each other (' + number(g.begin.length) + ' bars).' : 'an attempt of a task.')]
    : ['A row is ' + { node: 'what a node has of a kind of slot', rack: 'what a rack has of a kind of slot', cluster: 'all slots of a kind' }[g.level] + ', a bar the share of them in use and the job that used most; ' + number(run.summary.attempts) + ' attempts would not fit one by one. ', make('code', {}, '--chrome FILE'), ' writes them all.'];
  el('level').replaceChildren(...note);
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
// What is looked at stands in the address, so that it can be sent to others: the run, the stretch of time in seconds, the colours, the
// groups, the jobs that are listed, and the one that is followed.
const kept = ['colour', 'kind', 'by', 'show'];
const remember = () => {
  const p = new URLSearchParams({ run: run.at + 1 });
  if (view.from > 0 || view.to < run.end) {
    p.set('from', +(view.from / second).toPrecision(6));
    p.set('to', +(view.to / second).toPrecision(6));
  }
  for (const id of kept) if (el(id) && el(id).value !== el(id).dataset.first) p.set(id, el(id).value);
  if (followed !== null) p.set('job', run.jobs.ids[followed]);
  if ('#' + p !== location.hash) history.replaceState(null, '', '#' + p);
};
const addressed = new URLSearchParams(location.hash.slice(1));
// recall shows what the address names, once the page is there.
const recall = () => {
  for (const id of kept) {
    const e = el(id), value = addressed.get(id);
    if (!e) continue;
    e.dataset.first = e.value;
    if ([...e.options].some((o) => o.value === value)) {
      e.value = value;
      e.dispatchEvent(new Event('change'));
    }
  }
  const k = run.jobs.ids.indexOf(addressed.get('job'));
  if (k >= 0) follow(k);
  const from = Number(addressed.get('from')) * second, to = Number(addressed.get('to')) * second;
  if (from >= 0 && to > from) {
    Object.assign(view, { from, to });
    clampView();
  }
};
const choose = (i, scroll) => {
  followed = marked = cursor = null;
  showAccount();
  showTip(null);
  run = load(i);
  fill();
  fillRest();
  if (scroll) el('one').scrollIntoView({ behavior: 'smooth' });
};
const redrawAll = () => {
  theme();
  if (!run) return;
  redraw();
  for (const c of curveCharts) c.draw();
  if (scatter) scatter();
};

const root = document.documentElement.dataset;
// begin shows the first run, the drawing first and what stands below it after the first frame.
const begin = () => {
  const groups = new Map();
  data.runs.forEach((r, i) => {
    if (!groups.has(r.scenario)) groups.set(r.scenario, []);
    groups.get(r.scenario).push(make('option', { value: i }, nameOf(r)));
  });
  for (const [name, options] of groups) el('run').append(...(groups.size > 1 ? [make('optgroup', { label: name }, ...options)] : options));
  const names = (of) => [...new Set(data.runs.map(of))];
  el('name').textContent = document.title.replace(/^Slackline: /, '');
  el('all').textContent = data.runs.length > 1 ? number(data.runs.length) + ' runs: ' + names((r) => r.policy).join(', ') + '; ' + number(names((r) => r.seed).length) + (names((r) => r.seed).length > 1 ? ' seeds' : ' seed') + (groups.size > 1 ? '; ' + number(groups.size) + ' points' : '') : '';
  el('bySeed').replaceChildren(...bySeed());
  el('figures').open = data.runs.length <= 6;
  el('seeds').hidden = el('pick').hidden = el('h-one').hidden = data.runs.length < 2;
  el('compare').hidden = !data.compared;
  const tables = (list) => (list || []).map((t) => scrolled(tableOf(t.title, t.rows[0], t.rows.slice(1))));
  el('versus').replaceChildren(...tables(data.compared), ...(data.each ? [make('details', {}, make('summary', {}, 'Metric by metric' + (groups.size > 1 ? ', at each point' : '')), ...tables(data.each))] : []));
  run = load(Math.max(0, Math.min(data.runs.length, Number(addressed.get('run')) || 1) - 1));
  if (!run.promised) el('colour').value = new Set(run.jobs.class).size > 1 ? 'class' : 'job';
  fill();
  // What was measured when the drawing stood: for tests, and for whoever asks.
  root.firstDraw = performance.now().toFixed(1);
  requestAnimationFrame(() => setTimeout(() => {
    root.firstPaint = performance.now().toFixed(1);
    fillRest();
    recall();
    root.ready = performance.now().toFixed(1);
  }));
};
const listen = () => {
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
};
theme();
if (data.runs.length) {
  begin();
  listen();
} else {
  el('name').textContent = 'No runs';
  root.ready = performance.now().toFixed(1);
}
