// Asks Node how currencies are written in the kinds of English that package intl knows,
// and writes the answers to currencies.txt: node testdata/numbers.mjs.
import { writeFileSync } from 'node:fs';

const tags = ['en-US', 'en-GB', 'en-CA', 'en-AU'];
const named = 'USD EUR GBP JPY KRW CNY INR CAD AUD CHF SEK NOK DKK PLN BRL MXN NZD SGD HKD TWD THB ZAR'.split(' ');
// Three that are not listed as in use.
const currencies = [...Intl.supportedValuesOf('currency'), 'CLF', 'UYW', 'XXX'].sort();

const format = (tag, currency, options) => new Intl.NumberFormat(tag, { style: 'currency', currency, ...options });
const mark = (f, n) => f.formatToParts(n).find((p) => p.type === 'currency').value;

const rows = currencies.map((c) => {
  const { maximumFractionDigits } = format('en', c, {}).resolvedOptions();
  const name = (n) => (named.includes(c) ? mark(format('en', c, { currencyDisplay: 'name', maximumFractionDigits: 0 }), n) : '');
  const symbols = (currencyDisplay) => tags.map((t) => mark(format(t, c, { currencyDisplay }), 1)).map((s) => (s === c ? '' : s));
  return [c, maximumFractionDigits, name(1), name(2), ...symbols('symbol'), ...symbols('narrowSymbol')];
}).filter(([, digits, ...rest]) => digits !== 2 || rest.some((s) => s !== ''));
writeFileSync(new URL('../currencies.txt', import.meta.url), rows.map((r) => r.join('\t') + '\n').join(''));
