// Converts money with the daily rates of open.er-api.com.
const NAMES = {
  __proto__: null,
  '$': 'USD', 'us$': 'USD', dollar: 'USD', dollars: 'USD', 'us dollar': 'USD', 'us dollars': 'USD', '€': 'EUR', euro: 'EUR', euros: 'EUR',
  '£': 'GBP', pound: 'GBP', pounds: 'GBP', '¥': 'JPY', yen: 'JPY', '₩': 'KRW', won: 'KRW', yuan: 'CNY', renminbi: 'CNY', rmb: 'CNY', '₹': 'INR',
};
function codeOf(text, name) {
  const t = text.trim();
  const code = NAMES[t.toLowerCase()] || t.toUpperCase();
  if (!/^[A-Z]{3}$/.test(code)) throw new Error(name + ' is "' + text + '"; pass a currency code of three letters, such as USD, EUR or KRW');
  return code;
}
const base = codeOf(from, 'from');
const target = codeOf(to, 'to');
const sum = amount === undefined ? 1 : amount;
if (sum < 0) throw new Error('amount must be 0 or more, is ' + amount);

const r = await fetch('https://open.er-api.com/v6/latest/' + base, { headers: { 'User-Agent': 'localpass', 'Accept': 'application/json' } });
if (r.status === 429) throw new Error('the rate limit of the exchange rates is reached; try again in 20 minutes');
let d = {};
try { d = r.json(); } catch (e) { /* the body is not JSON */ }
if (d['error-type'] === 'unsupported-code' || d['error-type'] === 'malformed-request') throw new Error('there are no exchange rates for the currency ' + base + ' (from)');
if (!r.ok || d.result !== 'success') throw new Error('the exchange rates could not be had (status ' + r.status + (d['error-type'] ? ', ' + d['error-type'] : '') + '); try again later');
const rate = d.rates[target];
if (typeof rate !== 'number') throw new Error('there is no exchange rate for the currency ' + target + ' (to)');

const exact = sum * rate;
return {
  amount: sum,
  from: base,
  to: target,
  rate,
  // Two places as money has them, more where the sum is small.
  result: Math.abs(exact) >= 1 ? Math.round(exact * 100) / 100 : Number(exact.toPrecision(6)),
  updatedAt: new Date(d.time_last_update_unix * 1000).toISOString(),
  source: 'https://www.exchangerate-api.com',
};
