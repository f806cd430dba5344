// Shows one place on a map: by its coordinates, or by its name or address, which
// the map looks up.

// include shared/card.js

const label = clean(place, 200);
if (label === '') throw new Error('place is blank; pass a name or an address such as "Eiffel Tower, Paris"');
if ((latitude === undefined) !== (longitude === undefined)) throw new Error('pass both latitude and longitude, or neither');
const near = zoom === undefined ? 15 : zoom;
if (near < 1 || near > 20) throw new Error('zoom must be from 1 (the world) to 20 (a house), is ' + near);

// A place such as "48.2082, 16.3738" is one of coordinates.
const pair = /^\(?\s*([+-]?\d{1,3}(?:\.\d+)?)\s*[,;]\s*([+-]?\d{1,3}(?:\.\d+)?)\s*\)?$/.exec(label);
const lat = latitude === undefined && pair !== null ? Number(pair[1]) : latitude;
const lon = longitude === undefined && pair !== null ? Number(pair[2]) : longitude;
const payload = { type: 'map' };
let where = '';
if (lat === undefined) payload.query = label;
else {
  if (Math.abs(lat) > 90) throw new Error('the latitude is ' + lat + ', must be from -90 to 90' + (Math.abs(lon) <= 90 ? '; it comes first, are the two swapped?' : ''));
  if (Math.abs(lon) > 180) throw new Error('the longitude is ' + lon + ', must be from -180 to 180');
  payload.latitude = lat;
  payload.longitude = lon;
  if (pair === null) {
    payload.label = label;
    where = ' (' + lat + ', ' + lon + ')';
  }
}
payload.zoom = near;
return card('Map of ' + label + where + '.', payload);
