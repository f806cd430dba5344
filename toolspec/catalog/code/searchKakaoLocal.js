// Searches Kakao's map of Korea for places by words, or turns an address into
// coordinates.
const groups = {
  supermarket: 'MT1', 'convenience store': 'CS2', kindergarten: 'PS3', school: 'SC4', academy: 'AC5', parking: 'PK6', 'gas station': 'OL7', subway: 'SW8', bank: 'BK9',
  culture: 'CT1', 'real estate': 'AG2', 'public office': 'PO3', attraction: 'AT4', lodging: 'AD5', restaurant: 'FD6', cafe: 'CE7', hospital: 'HP8', pharmacy: 'PM9',
};
const mode = kind === undefined ? 'place' : kind.trim().toLowerCase();
if (mode !== 'place' && mode !== 'address') throw new Error('kind must be place or address, is "' + kind + '"');
const most = limit === undefined ? 5 : limit;
if (most < 1 || most > 15) throw new Error('limit must be between 1 and 15, is ' + most);

const url = new URL('https://dapi.kakao.com/v2/local/search/' + (mode === 'place' ? 'keyword' : 'address') + '.json');
url.searchParams.set('query', query);
if (mode === 'place') {
  if (category !== undefined) {
    const c = category.trim();
    const code = groups[c.toLowerCase()] || Object.values(groups).find((g) => g === c.toUpperCase());
    if (code === undefined) throw new Error('category must be one of ' + Object.keys(groups).join(', ') + ', is "' + category + '"');
    url.searchParams.set('category_group_code', code);
  }
  if ((latitude === undefined) !== (longitude === undefined)) throw new Error('pass latitude and longitude together, or neither');
  if (radius !== undefined && latitude === undefined) throw new Error('radius needs latitude and longitude of the middle');
  if (latitude !== undefined) {
    if (!(latitude > 32 && latitude < 40 && longitude > 123 && longitude < 133)) throw new Error('latitude ' + latitude + ' and longitude ' + longitude + ' are not in Korea; Seoul is 37.5665 and 126.9780');
    const metres = radius === undefined ? 2000 : radius;
    if (!(metres > 0 && metres <= 20000)) throw new Error('radius must be from 1 to 20000 metres, is ' + radius);
    url.searchParams.set('x', String(longitude));
    url.searchParams.set('y', String(latitude));
    url.searchParams.set('radius', String(Math.round(metres)));
    url.searchParams.set('sort', 'distance');
  }
}
url.searchParams.set('size', String(most));

const response = await fetch(url.href, { headers: { Accept: 'application/json', Authorization: 'KakaoAK ' + restKey } });
if (!response.ok) {
  let fault = {};
  try { fault = response.json(); } catch (e) { /* an error page */ }
  const why = fault.message || fault.msg ? ' (' + (fault.message || fault.msg) + ')' : '';
  if (response.status === 401 || response.status === 403) {
    throw new Error('Kakao refuses the key' + why + '; check KAKAO_REST_API_KEY (the REST API key), and that the application has Kakao Map switched on at developers.kakao.com');
  }
  if (response.status === 429) throw new Error('the limit of Kakao for this key is reached' + why + '; try again later');
  throw new Error('Kakao answered with HTTP status ' + response.status + why + (response.status === 400 ? '; change the query' : '; try again later'));
}

const found = response.json();
const places = found.documents.slice(0, most).map((d) => {
  const road = mode === 'place' ? d.road_address_name : d.road_address && d.road_address.address_name;
  const one = {
    name: mode === 'place' ? d.place_name : (d.road_address && d.road_address.building_name) || d.address_name,
    category: d.category_name,
    address: road || d.address_name,
    // The older address by lot, where a newer one by road stands too.
    lotAddress: road && road !== d.address_name ? d.address_name : mode === 'address' && d.address && road ? d.address.address_name : undefined,
    postalCode: d.road_address && mode === 'address' ? d.road_address.zone_no : undefined,
    phone: d.phone,
    latitude: Number(d.y),
    longitude: Number(d.x),
    distanceMetres: d.distance ? Number(d.distance) : undefined,
    url: d.place_url,
  };
  for (const key of Object.keys(one)) if (one[key] === undefined || one[key] === '') delete one[key];
  return one;
});
const result = { query, total: found.meta.total_count, more: !found.meta.is_end, places };
if (places.length === 0) result.hint = mode === 'address' ? 'no such address; write it in Korean, such as 서울특별시 중구 세종대로 110' : 'nothing found; use Korean words, a larger radius, or kind address for an address';
return result;
