// point reads a place on earth: an object, a pair or a text "latitude, longitude".
function point(value, where) {
  let pair;
  if (Array.isArray(value)) pair = value;
  else if (typeof value === 'string' && !value.trim().startsWith('{')) pair = value.split(',').map((s) => s.trim());
  else {
    const o = row(value, where);
    pair = [pick(o, ['latitude', 'lat', 'y']), pick(o, ['longitude', 'lon', 'lng', 'long', 'x'])];
  }
  const latitude = num(pair[0], where + ': the latitude');
  const longitude = num(pair[1], where + ': the longitude');
  if (Math.abs(latitude) > 90) {
    throw new Error(where + ': the latitude is ' + latitude + ', must be from -90 to 90' + (Math.abs(longitude) <= 90 ? '; the latitude comes first, are the two swapped?' : ''));
  }
  if (Math.abs(longitude) > 180) throw new Error(where + ': the longitude is ' + longitude + ', must be from -180 to 180');
  const exact = (n) => Math.round(n * 1e6) / 1e6 + 0; // to 11 cm
  return { latitude: exact(latitude), longitude: exact(longitude) };
}
