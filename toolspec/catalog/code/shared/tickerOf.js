// tickerOf gives the last price of a pair: Upbit and Bithumb answer alike.
function tickerOf(t) {
  const clean = (x) => (typeof x === 'number' ? Number(x.toPrecision(12)) : null); // without the noise of binary fractions
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
}
