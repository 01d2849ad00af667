// How numbers and times are said, and elements made.

const two = (x) => String(x).padStart(2, '0');
// span prints seconds in the one way in which people read them, as units.Span does.
const span = (s) => {
  if (!isFinite(s)) return '–';
  const sign = s < 0 ? '−' : '';
  const a = Math.abs(s);
  if (a < 0.0005) return '0 s';
  if (a < 0.9995) return sign + Math.round(1000 * a) + ' ms';
  if (a < 59.95) return sign + a.toFixed(1) + ' s';
  const n = Math.floor(a + 0.5);
  if (n < 3600) return sign + Math.floor(n / 60) + ':' + two(n % 60) + ' min';
  return sign + Math.floor(n / 3600) + ':' + two(Math.floor(n / 60) % 60) + ':' + two(n % 60) + ' h';
};
const time = (ticks) => span(ticks / second);
// number prints a number in groups of three, with a decimal where it is small, and spaces that do not break.
const number = (x) => (Math.abs(x) < 100 ? Math.round(x * 10) / 10 : Math.round(x)).toLocaleString('en').replaceAll(',', '\u202f');
const few = (x) => (x !== 0 && Math.abs(x) < 10 ? x.toPrecision(3) : number(x));
const percent = (x) => (100 * x).toFixed(x > 0 && x < 0.1 ? 1 : 0) + ' %';
const nameOf = (r) => r.policy + (r.world === 'sim' ? '' : ', on this machine') + ' · seed ' + r.seed + (r.stuck ? ' · stuck' : '');

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

// Colours: Okabe and Ito's, told apart by the colour-blind.

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
