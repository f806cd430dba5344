// bookOf gives the orders next to the price, up to so many on each side: Upbit and
// Bithumb answer alike.
function bookOf(pair, book, levels) {
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
}
