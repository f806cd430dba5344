// Searches the Korean store of iTunes and Apple Music.
const most = limit === undefined ? 10 : limit;
if (most < 1 || most > 50) throw new Error('limit must be between 1 and 50, is ' + most);
const wanted = kind === undefined ? 'song' : kind.trim().toLowerCase().replace(/s$/, '').replace(/^(track|music)$/, 'song').replace(/^(musicvideo|music video|video)$/, 'video');
const entity = { song: 'song', album: 'album', artist: 'musicArtist', video: 'musicVideo' }[wanted];
if (entity === undefined) throw new Error('kind must be song, album, artist or video, is "' + kind + '"');

const url = new URL('https://itunes.apple.com/search');
url.searchParams.set('term', query);
url.searchParams.set('country', 'KR');
url.searchParams.set('media', 'music');
url.searchParams.set('entity', entity);
url.searchParams.set('limit', String(most));

const response = await fetch(url.href, { headers: { Accept: 'application/json' } });
if (response.status === 403 || response.status === 429) throw new Error('the iTunes store takes no more searches for the moment (limit: about 20 a minute); try again in a minute');
if (!response.ok) throw new Error('the iTunes store answered with HTTP status ' + response.status + '; try again later');

// Members without a value are left out.
function compact(o) {
  for (const name of Object.keys(o)) if (o[name] === undefined || o[name] === null || o[name] === '') delete o[name];
  return o;
}
const results = response.json().results.map((r) => compact({
  title: entity === 'musicArtist' ? r.artistName : entity === 'album' ? r.collectionName : r.trackName,
  artist: entity === 'musicArtist' ? undefined : r.artistName,
  album: entity === 'song' ? r.collectionName : undefined,
  genre: r.primaryGenreName,
  released: r.releaseDate ? r.releaseDate.slice(0, 10) : undefined,
  tracks: entity === 'album' ? r.trackCount : undefined,
  seconds: r.trackTimeMillis ? Math.round(r.trackTimeMillis / 1000) : undefined,
  explicit: r.trackExplicitness === 'explicit' || r.collectionExplicitness === 'explicit' ? true : undefined,
  price: entity === 'album' ? r.collectionPrice : r.trackPrice,
  currency: r.currency,
  preview: r.previewUrl,
  artwork: r.artworkUrl100,
  url: r.trackViewUrl || r.collectionViewUrl || r.artistLinkUrl,
}));
return { query, kind: wanted, count: results.length, results };
