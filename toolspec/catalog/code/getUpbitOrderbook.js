// Fetches the order book of one pair from Upbit.

// include shared/upbitPair.js

// include shared/bookOf.js

const pair = pairOf(market.trim(), 'market');
const levels = depth === undefined ? 10 : depth;
if (levels < 1 || levels > 30) throw new Error('depth must be between 1 and 30, is ' + levels);

const response = await fetch('https://api.upbit.com/v1/orderbook?markets=' + pair, { headers: { Accept: 'application/json' } });
const unknown = 'Upbit does not trade ' + pair + '; look the symbol up with listUpbitMarkets';
if (response.status === 404) throw new Error(unknown);
if (response.status === 429 || response.status === 418) throw new Error('Upbit takes no more requests for the moment (limit: 10 a second); try again in a few seconds');
if (!response.ok) throw new Error('Upbit answered with HTTP status ' + response.status + '; try again later');
const book = response.json()[0];
if (book === undefined) throw new Error(unknown);
return bookOf(pair, book, levels);
