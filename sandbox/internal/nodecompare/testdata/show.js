// show renders a value so that two engines can be compared: types, signs of
// zero, classes and cycles all show.
(function () {
  const seen = [];
  const show = (v, depth = 0) => {
    switch (typeof v) {
      case 'string': return JSON.stringify(v);
      case 'bigint': return v + 'n';
      case 'number': return Object.is(v, -0) ? '-0' : String(v);
      case 'function': return '[function ' + v.name + ']';
      case 'symbol': case 'boolean': case 'undefined': return String(v);
    }
    if (v === null) return 'null';
    if (depth > 8 || seen.includes(v)) return '[...]';
    seen.push(v);
    try {
      const list = (a) => a.map((x) => show(x, depth + 1)).join(', ');
      const tag = Object.prototype.toString.call(v).slice(8, -1);
      if (Array.isArray(v)) {
        const out = [];
        for (let i = 0; i < v.length; i++) out.push(i in v ? show(v[i], depth + 1) : '-');
        return '[' + out.join(', ') + ']';
      }
      if (v instanceof Error) return v.name + '(' + show(v.message) + ')';
      if (v instanceof Date) return 'Date(' + (+v) + ')';
      if (v instanceof RegExp) return 'RegExp(' + v + ')';
      if (v instanceof Map) return 'Map{' + [...v].map(([k, x]) => show(k, depth + 1) + ' => ' + show(x, depth + 1)).join(', ') + '}';
      if (v instanceof Set) return 'Set{' + list([...v]) + '}';
      if (ArrayBuffer.isView(v) && tag !== 'DataView') return tag + '[' + list(Array.from(v)) + ']';
      if (tag === 'DataView') return 'DataView(' + v.byteOffset + '+' + v.byteLength + ')';
      if (v instanceof ArrayBuffer) return 'ArrayBuffer[' + list(Array.from(new Uint8Array(v))) + ']';
      if (v instanceof Number || v instanceof String || v instanceof Boolean) return tag + '(' + show(v.valueOf()) + ')';
      const proto = Object.getPrototypeOf(v);
      const name = proto === null ? 'null ' : proto === Object.prototype ? '' : tag + ' ';
      return name + '{' + Object.keys(v).map((k) => k + ': ' + show(v[k], depth + 1)).join(', ') + '}';
    } finally {
      seen.pop();
    }
  };
  return (v) => show(v);
})()
