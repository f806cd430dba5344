// Draws prices as candles, each with open, high, low and close.

// include shared/card.js

// include shared/show.js

// include shared/num.js

// include shared/pick.js

// include shared/row.js

// include shared/say.js

// include shared/named.js

// moment brings a time into one form: a date, or an instant in UTC.
function moment(value, where) {
  const wrong = () => new Error(where + ' is ' + show(value) + ', not a time; pass a date such as 2026-11-20, a time such as 2026-11-20T09:00:00Z, or epoch seconds');
  const text = typeof value === 'number' ? String(value) : typeof value === 'string' ? value.trim() : '';
  if (/^\d{9,13}$/.test(text)) { // seconds, or milliseconds from 2001 on
    const ms = Number(text) * (text.length > 11 ? 1 : 1000);
    return { at: ms, text: new Date(ms).toISOString().replace('.000Z', 'Z') };
  }
  const parts = /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d:\d\d)(:\d\d(?:\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?$/i.exec(text);
  if (parts === null) throw wrong();
  const day = parts.slice(1, 4).join('-');
  const zone = parts[6] === undefined ? 'Z' : parts[6].toUpperCase().replace(/^([+-]\d\d)(\d\d)$/, '$1:$2');
  const ms = Date.parse(day + 'T' + (parts[4] === undefined ? '00:00:00Z' : parts[4] + (parts[5] === undefined ? ':00' : parts[5]) + zone));
  if (Number.isNaN(ms) || new Date(Date.parse(day + 'T00:00:00Z')).toISOString().slice(0, 10) !== day) throw wrong();
  if (parts[4] === undefined) return { at: ms, text: day };
  return { at: ms, text: new Date(ms).toISOString().replace('.000Z', 'Z') };
}

if (candles.length === 0) throw new Error('candles is empty; pass at least one, such as {"time": "2026-11-20", "open": 10, "high": 12, "low": 9, "close": 11}');
if (candles.length > 2000) throw new Error('there are ' + candles.length + ' candles, at most 2000 fit; use longer intervals');
const read = candles.map((value, i) => {
  const where = 'candles[' + i + ']';
  const c = Array.isArray(value) ? { time: value[0], open: value[1], high: value[2], low: value[3], close: value[4], volume: value[5] } : row(value, where);
  const when = moment(pick(c, ['time', 'date', 'datetime', 'timestamp', 't']), where + '.time');
  const one = { time: when.text };
  for (const [name, short] of [['open', 'o'], ['high', 'h'], ['low', 'l'], ['close', 'c']]) one[name] = num(pick(c, [name, short]), where + '.' + name);
  const volume = pick(c, ['volume', 'v']);
  if (volume !== undefined) {
    one.volume = num(volume, where + '.volume');
    if (one.volume < 0) throw new Error(where + '.volume is ' + one.volume + ', must not be negative');
  }
  if (one.high < one.low || one.high < one.open || one.high < one.close || one.low > one.open || one.low > one.close) {
    throw new Error(where + ': open ' + one.open + ' and close ' + one.close + ' must lie between low ' + one.low + ' and high ' + one.high);
  }
  return { at: when.at, one };
});
read.sort((a, b) => a.at - b.at);
read.forEach((r, i) => {
  if (i > 0 && r.at === read[i - 1].at) throw new Error('two candles have the time ' + r.one.time + '; pass one for each interval');
});

const payload = { type: 'candlestick' };
if (heading !== '') payload.title = heading;
const mark = clean(unit, 20);
if (mark !== '') payload.unit = mark;
payload.candles = read.map((r) => r.one);

const first = read[0].one;
const last = read[read.length - 1].one;
const count = read.length + (read.length === 1 ? ' candle' : ' candles') + ' from ' + first.time + ' to ' + last.time;
const change = first.open > 0 ? Math.round((last.close / first.open - 1) * 1000) / 10 : null;
const move = change === null ? '' : ' (' + (change > 0 ? '+' : '') + change + ' %)';
const high = read.reduce((m, r) => Math.max(m, r.one.high), -Infinity);
const low = read.reduce((m, r) => Math.min(m, r.one.low), Infinity);
return card(named('Candlestick chart') + ': ' + count + ', open ' + say(first.open) + ', close ' + say(last.close) + (mark === '' ? '' : ' ' + mark) + move + ', high ' + say(high) + ', low ' + say(low) + '.', payload);
