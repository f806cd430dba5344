// Asks the exchange Bithumb for the last price of some pairs.

// include shared/bithumbPair.js

// include shared/tickerOf.js

const pairs = [...new Set(markets.split(/[,;]/).map((t) => t.trim()).filter((t) => t !== '').map((t) => pairOf(t, 'markets')))];
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

const found = rows.map(tickerOf);
const missing = pairs.filter((p) => !found.some((t) => t.market === p));
const result = { tickers: found };
if (missing.length > 0) result.notTraded = missing;
return result;
