// Fetches the order book of one pair from Bithumb.

// The Korean won is quoted before BTC: so "ETH", "ETH/KRW", "krw-eth" and "ETHKRW"
// all mean the pair that Bithumb calls KRW-ETH.
function pairOf(text) {
  const joined = /^([A-Z0-9]+)KRW$/.exec(text.toUpperCase());
  const parts = joined ? [joined[1], 'KRW'] : text.toUpperCase().split(/[-\/_ ]+/);
  if (parts.length > 2 || !parts.every((p) => /^[A-Z0-9]{1,20}$/.test(p))) {
    throw new Error('market: "' + text + '" is no coin; pass a symbol such as BTC or a pair such as KRW-BTC');
  }
  if (parts.length === 1) parts.push('KRW');
  const quote = ['KRW', 'BTC'].find((q) => parts.includes(q));
  if (quote === undefined || parts[0] === parts[1]) throw new Error('market: "' + text + '" is no pair of Bithumb; coins are priced in KRW or BTC, such as KRW-BTC');
  return quote + '-' + (parts[0] === quote ? parts[1] : parts[0]);
}

const pair = pairOf(market.trim());
const levels = depth === undefined ? 10 : depth;
if (levels < 1 || levels > 30) throw new Error('depth must be between 1 and 30, is ' + levels);

const response = await fetch('https://api.bithumb.com/v1/orderbook?markets=' + pair, { headers: { Accept: 'application/json' } });
if (response.status === 429) throw new Error('Bithumb takes no more requests for the moment; try again in a few seconds');
if (!response.ok && response.status !== 404) throw new Error('Bithumb answered with HTTP status ' + response.status + '; try again later');
const rows = response.json();
// Bithumb reports errors with HTTP status 200 too.
const fault = rows.error || (response.ok ? undefined : { name: 404 });
const untraded = 'Bithumb does not trade ' + pair + '; check the symbol';
if (fault) throw new Error(String(fault.name) === '404' ? untraded : 'Bithumb refused the request: ' + (fault.message || fault.name));
const book = Array.isArray(rows) ? rows[0] : undefined;
if (book === undefined) throw new Error(untraded);

const clean = (x) => Number(x.toPrecision(12)); // without the noise of binary fractions
const units = book.orderbook_units.slice(0, levels);
const best = book.orderbook_units[0];
return {
  market: pair,
  currency: pair.split('-')[0],
  time: new Date(book.timestamp).toISOString(),
  bestBid: best ? best.bid_price : null,
  bestAsk: best ? best.ask_price : null,
  spread: best ? clean(best.ask_price - best.bid_price) : null,
  spreadPercent: best ? Number((((best.ask_price - best.bid_price) / best.bid_price) * 100).toFixed(4)) : null,
  totalBidSize: clean(book.total_bid_size),
  totalAskSize: clean(book.total_ask_size),
  bids: units.map((u) => ({ price: u.bid_price, size: u.bid_size })),
  asks: units.map((u) => ({ price: u.ask_price, size: u.ask_size })),
};
