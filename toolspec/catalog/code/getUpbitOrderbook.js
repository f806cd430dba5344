// Fetches the order book of one pair from Upbit.

// The Korean won is quoted before USDT, and that before BTC: so "BTC", "BTC/KRW",
// "krw-btc" and "BTCKRW" all mean the pair that Upbit calls KRW-BTC.
function pairOf(text) {
  const quotes = ['KRW', 'USDT', 'BTC'];
  const joined = /^([A-Z0-9]+)(KRW|USDT)$/.exec(text.toUpperCase());
  const parts = joined ? [joined[1], joined[2]] : text.toUpperCase().split(/[-\/_ ]+/);
  if (parts.length > 2 || !parts.every((p) => /^[A-Z0-9]{1,20}$/.test(p))) {
    throw new Error('market: "' + text + '" is no coin; pass a symbol such as BTC or a pair such as KRW-BTC (listUpbitMarkets finds the symbol of a name)');
  }
  if (parts.length === 1) parts.push('KRW');
  const quote = quotes.find((q) => parts.includes(q));
  if (quote === undefined || parts[0] === parts[1]) {
    throw new Error('market: "' + text + '" is no pair of Upbit; coins are priced in KRW, USDT or BTC, such as KRW-BTC');
  }
  return quote + '-' + (parts[0] === quote ? parts[1] : parts[0]);
}

const pair = pairOf(market.trim());
const levels = depth === undefined ? 10 : depth;
if (levels < 1 || levels > 30) throw new Error('depth must be between 1 and 30, is ' + levels);

const response = await fetch('https://api.upbit.com/v1/orderbook?markets=' + pair, { headers: { Accept: 'application/json' } });
const unknown = 'Upbit does not trade ' + pair + '; look the symbol up with listUpbitMarkets';
if (response.status === 404) throw new Error(unknown);
if (response.status === 429 || response.status === 418) throw new Error('Upbit takes no more requests for the moment (limit: 10 a second); try again in a few seconds');
if (!response.ok) throw new Error('Upbit answered with HTTP status ' + response.status + '; try again later');
const book = response.json()[0];
if (book === undefined) throw new Error(unknown);

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
