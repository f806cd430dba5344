// list takes an array, also one that was written as JSON text.
function list(value, where) {
  let v = value;
  if (typeof v === 'string') {
    try {
      v = JSON.parse(v);
    } catch (e) {
      v = null;
    }
  }
  if (!Array.isArray(v)) throw new Error(where + ' is ' + show(value) + ', not a list');
  return v;
}
