// Fetches candles (open, high, low, close, volume) of one pair from Upbit.

// include shared/upbitPair.js

// The interval in one spelling, such as 15m, 1d or 1M, and the path of the API.
function intervalOf(text) {
  const words = { minute: '1m', hour: '60m', hourly: '60m', day: '1d', days: '1d', daily: '1d', week: '1w', weeks: '1w', weekly: '1w', month: '1M', months: '1M', monthly: '1M' };
  const t = text.trim();
  const m = /^(\d+)\s*(minutes?|mins?|m|hours?|h|days?|d|weeks?|w|months?|mo|M)$/i.exec(words[t.toLowerCase()] || t);
  if (m) {
    const n = Number(m[1]);
    const unit = m[2] === 'M' || /^mo/i.test(m[2]) ? 'M' : m[2][0].toLowerCase();
    const minutes = unit === 'h' ? n * 60 : n;
    if ((unit === 'm' || unit === 'h') && [1, 3, 5, 10, 15, 30, 60, 240].includes(minutes)) return [minutes + 'm', 'minutes/' + minutes];
    if (n === 1 && unit === 'd') return ['1d', 'days'];
    if (n === 1 && unit === 'w') return ['1w', 'weeks'];
    if (n === 1 && unit === 'M') return ['1M', 'months'];
  }
  throw new Error('interval must be 1m, 3m, 5m, 10m, 15m, 30m, 60m, 240m, 1d, 1w or 1M, is "' + text + '"');
}

const pair = pairOf(market.trim(), 'market');
const [step, path] = intervalOf(interval === undefined ? '1d' : interval);
const most = count === undefined ? 30 : count;
if (most < 1 || most > 200) throw new Error('count must be between 1 and 200, is ' + most);

const url = new URL('https://api.upbit.com/v1/candles/' + path);
url.searchParams.set('market', pair);
url.searchParams.set('count', String(most));
if (to !== undefined) {
  // A time without a zone is meant in Seoul, which is nine hours ahead of UTC.
  const m = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2})(:\d{2}(?:\.\d+)?)?\s*(Z|[+-]\d{2}:\d{2})?)?$/i.exec(to.trim());
  const end = m ? Date.parse(m[1] + 'T' + (m[2] || '00:00') + (m[3] || ':00') + (m[4] || '+09:00').toUpperCase()) : NaN;
  if (Number.isNaN(end)) throw new Error('to must be a date or time such as 2026-11-20 or 2026-11-20T09:00:00+09:00, is "' + to + '"');
  url.searchParams.set('to', new Date(end).toISOString().slice(0, 19) + 'Z');
}

const response = await fetch(url.href, { headers: { Accept: 'application/json' } });
if (response.status === 404) throw new Error('Upbit does not trade ' + pair + '; look the symbol up with listUpbitMarkets');
if (response.status === 429 || response.status === 418) throw new Error('Upbit takes no more requests for the moment (limit: 10 a second); try again in a few seconds');
if (!response.ok) throw new Error('Upbit answered with HTTP status ' + response.status + '; try again later');

const clean = (x) => Number(x.toPrecision(12)); // without the noise of binary fractions
const candles = response.json().map((c) => ({
  time: c.candle_date_time_kst + '+09:00',
  open: c.opening_price,
  high: c.high_price,
  low: c.low_price,
  close: c.trade_price,
  volume: clean(c.candle_acc_trade_volume),
  tradedValue: clean(c.candle_acc_trade_price),
}));
candles.reverse(); // Upbit gives the newest first
return { market: pair, currency: pair.split('-')[0], interval: step, count: candles.length, candles };
