// Asks the exchange Bithumb for the last price of some pairs.

// The Korean won is quoted before BTC: so "ETH", "ETH/KRW", "krw-eth" and "ETHKRW"
// all mean the pair that Bithumb calls KRW-ETH.
function pairOf(text) {
  const joined = /^([A-Z0-9]+)KRW$/.exec(text.toUpperCase());
  const parts = joined ? [joined[1], 'KRW'] : text.toUpperCase().split(/[-\/_ ]+/);
  if (parts.length > 2 || !parts.every((p) => /^[A-Z0-9]{1,20}$/.test(p))) {
    throw new Error('markets: "' + text + '" is no coin; pass symbols such as BTC or pairs such as KRW-BTC');
  }
  if (parts.length === 1) parts.push('KRW');
  const quote = ['KRW', 'BTC'].find((q) => parts.includes(q));
  if (quote === undefined || parts[0] === parts[1]) throw new Error('markets: "' + text + '" is no pair of Bithumb; coins are priced in KRW or BTC, such as KRW-BTC');
  return quote + '-' + (parts[0] === quote ? parts[1] : parts[0]);
}

const pairs = [...new Set(markets.split(/[,;]/).map((t) => t.trim()).filter((t) => t !== '').map(pairOf))];
if (pairs.length === 0 || pairs.length > 20) throw new Error('markets must name 1 to 20 coins, such as "BTC, ETH", has ' + pairs.length);

const response = await fetch('https://api.bithumb.com/v1/ticker?markets=' + pairs.join(','), { headers: { Accept: 'application/json' } });
if (response.status === 429) throw new Error('Bithumb takes no more requests for the moment; try again in a few seconds');
if (!response.ok && response.status !== 404) throw new Error('Bithumb answered with HTTP status ' + response.status + '; try again later');
const rows = response.json();
// Bithumb reports errors with HTTP status 200 too.
const fault = rows.error || (response.ok ? undefined : { name: 404 });
const untraded = 'Bithumb does not trade ' + (pairs.length === 1 ? pairs[0] : 'one of ' + pairs.join(', ')) + '; check the symbols';
if (fault) throw new Error(String(fault.name) === '404' ? untraded : 'Bithumb refused the request: ' + (fault.message || fault.name));
if (!Array.isArray(rows) || rows.length === 0) throw new Error(untraded);

const clean = (x) => (typeof x === 'number' ? Number(x.toPrecision(12)) : null); // without the noise of binary fractions
const found = rows.map((t) => {
  // The day and time of the trade in Seoul: 20261121 and 143005.
  const when = String(t.trade_date_kst) + String(t.trade_time_kst);
  return {
    market: t.market,
    currency: t.market.split('-')[0],
    price: t.trade_price,
    direction: { RISE: 'up', FALL: 'down' }[t.change] || 'unchanged',
    change: clean(t.signed_change_price),
    changePercent: Math.round(t.signed_change_rate * 10000) / 100,
    open: t.opening_price,
    high: t.high_price,
    low: t.low_price,
    previousClose: t.prev_closing_price,
    volume24h: clean(t.acc_trade_volume_24h),
    tradedValue24h: clean(t.acc_trade_price_24h),
    high52Weeks: t.highest_52_week_price,
    high52WeeksDate: t.highest_52_week_date,
    low52Weeks: t.lowest_52_week_price,
    low52WeeksDate: t.lowest_52_week_date,
    tradedAt: /^\d{14}$/.test(when) ? when.replace(/^(....)(..)(..)(..)(..)(..)$/, '$1-$2-$3T$4:$5:$6+09:00') : null,
  };
});
const missing = pairs.filter((p) => !found.some((t) => t.market === p));
const result = { tickers: found };
if (missing.length > 0) result.notTraded = missing;
return result;
