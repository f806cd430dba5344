// JSONPath as in RFC 9535: the path is parsed into segments, and each segment
// maps the nodes found so far to new ones.
const query = path.trim();
const most = limit === undefined ? 100 : limit;
if (most < 1 || most > 1000) throw new Error('limit must be between 1 and 1000, is ' + most);

let root;
try {
  root = JSON.parse(json);
} catch (e) {
  throw new Error('json is not valid JSON (' + e.message + '); pass the JSON text itself');
}

const NOTHING = {}; // what a query finds that finds no single value
let at = 0;

function fail(message) {
  throw new Error('path: ' + message + ' at character ' + (at + 1) + ' of "' + query + '"');
}
function blank() {
  while (at < query.length && ' \t\r\n'.includes(query[at])) at++;
}
function take(text) {
  if (!query.startsWith(text, at)) return false;
  at += text.length;
  return true;
}
function expect(text) {
  blank();
  if (!take(text)) fail('expected ' + text);
}
function match(pattern) { // pattern is sticky
  pattern.lastIndex = at;
  const m = pattern.exec(query);
  if (m) at += m[0].length;
  return m && m[0];
}

function quoted() {
  const quote = query[at++];
  let text = '';
  for (;;) {
    if (at >= query.length) fail('a quoted name never ends');
    const c = query[at++];
    if (c === quote) return text;
    if (c !== '\\') {
      text += c;
      continue;
    }
    const escape = query[at++];
    const simple = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', '/': '/', '\\': '\\', "'": "'", '"': '"' };
    if (escape === 'u') {
      const hex = match(/[0-9a-fA-F]{4}/y);
      if (!hex) fail('expected four hexadecimal digits');
      text += String.fromCharCode(parseInt(hex, 16));
    } else if (escape in simple) {
      text += simple[escape];
    } else {
      fail('unknown escape \\' + escape);
    }
  }
}

function segments() {
  const list = [];
  for (;;) {
    const start = at;
    blank();
    if (take('..')) {
      list.push({ deep: true, selectors: query[at] === '[' ? bracket() : [shorthand()] });
    } else if (take('.')) {
      list.push({ selectors: [shorthand()] });
    } else if (query[at] === '[') {
      list.push({ selectors: bracket() });
    } else {
      at = start;
      return list;
    }
  }
}

function shorthand() {
  if (take('*')) return { kind: 'all' };
  const name = match(/[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*/y);
  if (!name) fail("expected a name or *; write names with other characters as ['name']");
  return { kind: 'name', name };
}

function bracket() {
  expect('[');
  const selectors = [];
  do {
    blank();
    selectors.push(selector());
    blank();
  } while (take(','));
  expect(']');
  return selectors;
}

function integer() {
  const text = match(/-?\d+/y);
  if (text === null) return undefined;
  if (text === '-0' || /^-?0\d/.test(text)) fail('write ' + text + ' without the zero');
  const n = Number(text);
  if (!Number.isSafeInteger(n)) fail('the number ' + text + ' is too large');
  return n;
}

function selector() {
  if (query[at] === "'" || query[at] === '"') return { kind: 'name', name: quoted() };
  if (take('*')) return { kind: 'all' };
  if (take('?')) {
    blank();
    return { kind: 'filter', test: disjunction() };
  }
  const first = integer();
  blank();
  if (!take(':')) {
    if (first === undefined) fail('expected a quoted name, a number, a slice, * or ?');
    return { kind: 'index', index: first };
  }
  blank();
  const end = integer();
  blank();
  let step = 1;
  if (take(':')) {
    blank();
    const given = integer();
    if (given !== undefined) step = given;
  }
  return { kind: 'slice', start: first, end, step };
}

// Filters: each function returns (current value) => result.
function disjunction() {
  let left = conjunction();
  for (blank(); take('||'); blank()) {
    const a = left;
    const b = conjunction();
    left = (v) => a(v) || b(v);
  }
  return left;
}

function conjunction() {
  let left = negation();
  for (blank(); take('&&'); blank()) {
    const a = left;
    const b = negation();
    left = (v) => a(v) && b(v);
  }
  return left;
}

function negation() {
  blank();
  if (query[at] === '!' && query[at + 1] !== '=') {
    at++;
    const inner = negation();
    return (v) => !inner(v);
  }
  if (take('(')) {
    const inner = disjunction();
    expect(')');
    return inner;
  }
  return comparison();
}

function comparison() {
  const left = operand();
  blank();
  const op = match(/[=!]=|[<>]=?/y);
  if (!op) {
    if (left.logical) return left.logical;
    if (left.nodes) return (v) => left.nodes(v).length > 0;
    fail('a value alone is no test; compare it with ==');
  }
  blank();
  const right = operand();
  if (left.logical || right.logical) fail('match and search are tests of their own; do not compare them');
  const a = single(left);
  const b = single(right);
  return (v) => compare(a(v), op, b(v));
}

function single(o) {
  if (o.value) return o.value;
  return (v) => {
    const found = o.nodes(v);
    return found.length === 1 ? found[0].value : NOTHING;
  };
}

function operand() {
  blank();
  const c = query[at];
  if (c === '@' || c === '$') {
    at++;
    const rest = segments();
    return { nodes: (v) => run(rest, c === '@' ? v : root, '') };
  }
  if (c === "'" || c === '"') {
    const text = quoted();
    return { value: () => text };
  }
  const number = match(/-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?/y);
  if (number !== null) return { value: () => Number(number) };
  const word = match(/[a-z]+/y);
  if (word === 'true') return { value: () => true };
  if (word === 'false') return { value: () => false };
  if (word === 'null') return { value: () => null };
  if (word && take('(')) return call(word);
  fail('expected @, $, a text, a number, true, false, null or a function');
}

function call(name) {
  const args = [operand()];
  blank();
  while (take(',')) {
    args.push(operand());
    blank();
  }
  expect(')');
  const want = new Map([['length', 1], ['count', 1], ['value', 1], ['match', 2], ['search', 2]]).get(name);
  if (!want) fail('there is no function ' + name + '; use length, count, value, match or search');
  if (args.length !== want) fail(name + ' takes ' + want + ' argument' + (want > 1 ? 's' : ''));
  if (name === 'count') {
    if (!args[0].nodes) fail('count takes a path');
    return { value: (v) => args[0].nodes(v).length };
  }
  const first = single(args[0]);
  if (name === 'value') return { value: first };
  if (name === 'length') {
    return {
      value: (v) => {
        const x = first(v);
        if (typeof x === 'string') return Array.from(x).length;
        if (Array.isArray(x)) return x.length;
        return x !== null && typeof x === 'object' && x !== NOTHING ? Object.keys(x).length : NOTHING;
      },
    };
  }
  const second = single(args[1]);
  const compiled = new Map();
  return {
    logical: (v) => {
      const text = first(v);
      const pattern = second(v);
      if (typeof text !== 'string' || typeof pattern !== 'string') return false;
      if (!compiled.has(pattern)) {
        const source = name === 'match' ? '^(?:' + pattern + ')$' : pattern;
        try {
          compiled.set(pattern, new RegExp(source, 'u'));
        } catch (e) {
          throw new Error('path: "' + pattern + '" is no valid regular expression');
        }
      }
      return compiled.get(pattern).test(text);
    },
  };
}

function compare(a, op, b) {
  if (op === '==') return same(a, b);
  if (op === '!=') return !same(a, b);
  if (op === '<=' || op === '>=') {
    if (same(a, b)) return true;
  }
  const ordered = typeof a === typeof b && (typeof a === 'number' || typeof a === 'string');
  return ordered && (op[0] === '<' ? a < b : a > b);
}

function same(a, b) {
  if (a === b) return true;
  if (a === NOTHING || b === NOTHING) return false;
  if (a === null || b === null || typeof a !== 'object' || typeof b !== 'object') return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length
    && keys.every((k) => Object.hasOwn(b, k) && same(a[k], b[k]));
}

// Evaluation: a node is a value and the path to it.
function child(node, key) {
  const text = typeof key === 'number'
    ? key : "'" + key.replace(/[\\']/g, '\\$&').replace(/[\u0000-\u001f]/g, (c) => '\\u' + c.charCodeAt(0).toString(16).padStart(4, '0')) + "'";
  return { value: node.value[key], path: node.path + '[' + text + ']' };
}

function children(node) {
  if (Array.isArray(node.value)) return node.value.map((_, i) => child(node, i));
  if (node.value === null || typeof node.value !== 'object') return [];
  return Object.keys(node.value).map((k) => child(node, k));
}

function slice(node, s, out) {
  const n = node.value.length;
  if (s.step === 0) return;
  const clamp = (i, low, high) => Math.min(Math.max(i < 0 ? n + i : i, low), high);
  if (s.step > 0) {
    const end = s.end === undefined ? n : clamp(s.end, 0, n);
    for (let i = s.start === undefined ? 0 : clamp(s.start, 0, n); i < end; i += s.step) out.push(child(node, i));
  } else {
    const end = s.end === undefined ? -1 : clamp(s.end, -1, n - 1);
    for (let i = s.start === undefined ? n - 1 : clamp(s.start, -1, n - 1); i > end; i += s.step) out.push(child(node, i));
  }
}

function select(node, s, out) {
  const v = node.value;
  if (v === null || typeof v !== 'object') return;
  const list = Array.isArray(v);
  if (s.kind === 'all') {
    for (const c of children(node)) out.push(c);
  } else if (s.kind === 'filter') {
    for (const c of children(node)) if (s.test(c.value)) out.push(c);
  } else if (s.kind === 'name') {
    if (!list && Object.hasOwn(v, s.name)) out.push(child(node, s.name));
  } else if (list && s.kind === 'index') {
    const i = s.index < 0 ? v.length + s.index : s.index;
    if (i >= 0 && i < v.length) out.push(child(node, i));
  } else if (list && s.kind === 'slice') {
    slice(node, s, out);
  }
}

function descend(node, s, out) {
  for (const one of s.selectors) select(node, one, out);
  for (const c of children(node)) descend(c, s, out);
}

function run(list, value, start) {
  let nodes = [{ value, path: start }];
  for (const s of list) {
    const next = [];
    for (const node of nodes) {
      if (s.deep) descend(node, s, next);
      else for (const one of s.selectors) select(node, one, next);
    }
    nodes = next;
  }
  return nodes;
}

if (!take('$')) fail('a path begins with $');
const parsed = segments();
blank();
if (at < query.length) fail('expected . or [');
const found = run(parsed, root, '$');
const shown = found.slice(0, most);
return {
  count: found.length,
  values: shown.map((n) => n.value),
  paths: shown.map((n) => n.path),
  truncated: found.length > most,
};
