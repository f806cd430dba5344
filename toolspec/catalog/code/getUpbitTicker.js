// Asks the exchange Upbit for the last price of some pairs, and what happened to
// them since the last price.

// include shared/upbitPair.js

// include shared/tickerOf.js

const pairs = [...new Set(markets.split(/[,;]/).map((t) => t.trim()).filter((t) => t !== '').map((t) => pairOf(t, 'markets')))];
if (pairs.length === 0 || pairs.length > 20) throw new Error('markets must name 1 to 20 coins, such as "BTC, ETH", has ' + pairs.length);

const response = await fetch('https://api.upbit.com/v1/ticker?markets=' + pairs.join(','), { headers: { Accept: 'application/json' } });
if (response.status === 404) {
  throw new Error('Upbit does not trade ' + (pairs.length === 1 ? pairs[0] : 'one of ' + pairs.join(', ')) + '; look the symbol up with listUpbitMarkets');
}
if (response.status === 429 || response.status === 418) throw new Error('Upbit takes no more requests for the moment (limit: 10 a second); try again in a few seconds');
if (!response.ok) throw new Error('Upbit answered with HTTP status ' + response.status + '; try again later');
const rows = response.json();

const found = rows.map(tickerOf);
const missing = pairs.filter((p) => !found.some((t) => t.market === p));
if (found.length === 0) throw new Error('Upbit does not trade ' + missing.join(', ') + '; look the symbol up with listUpbitMarkets');
const result = { tickers: found };
if (missing.length > 0) result.notTraded = missing;
return result;
