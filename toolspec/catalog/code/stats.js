// Describes a list of numbers. Sums are compensated, so that many small values
// beside large ones do not get lost.
const values = numbers.map((x, i) => {
  const n = typeof x === 'string' && x.trim() !== '' ? Number(x) : x;
  if (typeof n !== 'number' || !Number.isFinite(n)) throw new Error('numbers[' + i + '] is ' + JSON.stringify(x) + ', not a number; leave it out');
  return n;
});
if (values.length === 0) throw new Error('numbers is empty; pass at least one number');

// include shared/total.js
function tidy(x) { // without the noise of binary fractions
  if (!Number.isFinite(x)) throw new Error('the numbers are too large to work with');
  return Number(x.toPrecision(15));
}

const n = values.length;
const sorted = values.slice().sort((a, b) => a - b);

// The value below which a share of the data lies, between neighbours in
// proportion (as spreadsheets do it: PERCENTILE.INC).
function quantile(share) {
  const at = (n - 1) * share;
  const low = Math.floor(at);
  const high = Math.min(low + 1, n - 1);
  return tidy(sorted[low] + (sorted[high] - sorted[low]) * (at - low));
}

const mean = total(values) / n;
const squares = total(values.map((x) => (x - mean) ** 2));
const counts = new Map();
for (const x of values) counts.set(x, (counts.get(x) || 0) + 1);
const most = [...counts.values()].reduce((a, b) => Math.max(a, b), 0);

const result = {
  count: n,
  sum: tidy(total(values)),
  mean: tidy(mean),
  median: quantile(0.5),
  mode: most > 1 ? [...counts].filter(([, c]) => c === most).map(([x]) => x).sort((a, b) => a - b) : [],
  min: sorted[0],
  max: sorted[n - 1],
  range: tidy(sorted[n - 1] - sorted[0]),
  q1: quantile(0.25),
  q3: quantile(0.75),
  iqr: tidy(quantile(0.75) - quantile(0.25)),
  variance: n > 1 ? tidy(squares / (n - 1)) : null,
  standardDeviation: n > 1 ? tidy(Math.sqrt(squares / (n - 1))) : null,
  populationVariance: tidy(squares / n),
  populationStandardDeviation: tidy(Math.sqrt(squares / n)),
};
if (percentiles !== undefined) {
  result.percentiles = percentiles.map((p) => {
    const share = Number(p);
    if (typeof p === 'boolean' || p === null || !(share >= 0 && share <= 100)) throw new Error('percentiles must be numbers from 0 to 100, one is ' + JSON.stringify(p));
    return { percentile: share, value: quantile(share / 100) };
  });
}
return result;
