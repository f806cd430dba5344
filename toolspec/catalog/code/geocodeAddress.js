// Coordinates of an address or a place, or the address at coordinates, from
// OpenStreetMap (Nominatim).
const most = limit === undefined ? 3 : Math.min(limit, 10);
if (most < 1) throw new Error('limit must be between 1 and 10, is ' + limit);
const tongue = language === undefined ? 'en' : language.trim();
if (!/^[A-Za-z-]{2,12}$/.test(tongue)) throw new Error('language is "' + language + '"; pass a code such as en, de or ko');
const codes = country === undefined ? '' : country.toLowerCase().replace(/\s+/g, '');
if (codes !== '' && !/^[a-z]{2}(,[a-z]{2})*$/.test(codes)) throw new Error('country is "' + country + '"; pass codes of two letters, such as de or de,at');

const text = query.trim();
const point = /^\(?\s*([-+]?\d{1,3}(?:\.\d+)?)\s*[,;\s]\s*([-+]?\d{1,3}(?:\.\d+)?)\s*\)?$/.exec(text);
let place;
if (point) {
  const lat = Number(point[1]);
  const lon = Number(point[2]);
  if (Math.abs(lat) > 90 || Math.abs(lon) > 180) throw new Error('query is "' + query + '"; as coordinates pass latitude, longitude, such as 48.8584, 2.2945');
  place = 'reverse?' + new URLSearchParams({ lat: String(lat), lon: String(lon), format: 'jsonv2', addressdetails: '1', 'accept-language': tongue });
} else {
  const asked = new URLSearchParams({ q: text, format: 'jsonv2', addressdetails: '1', limit: String(most), 'accept-language': tongue });
  if (codes !== '') asked.set('countrycodes', codes);
  place = 'search?' + asked;
}
const r = await fetch('https://nominatim.openstreetmap.org/' + place, { headers: { 'User-Agent': 'localpass', 'Accept': 'application/json' } });
if (r.status === 429 || r.status === 403) throw new Error('OpenStreetMap refuses more requests for now (one a second is allowed); try again in a minute');
if (!r.ok) throw new Error('OpenStreetMap answered with status ' + r.status + '; try again later');
const d = r.json();
const hits = Array.isArray(d) ? d : d.error ? [] : [d]; // an address at coordinates is one object, or an error such as "Unable to geocode"
return {
  count: hits.length,
  results: hits.map((h) => {
    const a = h.address || {};
    return {
      name: h.name || null,
      fullAddress: h.display_name,
      latitude: Number(h.lat),
      longitude: Number(h.lon),
      kind: (h.category || '') + ':' + (h.type || ''),
      street: [a.road, a.house_number].filter((x) => x !== undefined).join(' ') || null,
      city: a.city || a.town || a.village || a.municipality || a.hamlet || null,
      state: a.state || null,
      postcode: a.postcode || null,
      country: a.country || null,
      countryCode: a.country_code ? a.country_code.toUpperCase() : null,
    };
  }),
  attribution: 'Data © OpenStreetMap contributors',
};
