// Fetches the order book of one pair from Bithumb.

// include shared/bithumbPair.js

// include shared/bookOf.js

const pair = pairOf(market.trim(), 'market');
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
return bookOf(pair, book, levels);
