// The portal hands its key out URL-encoded and plain. The URL is encoded below, so
// the key must be plain.
function plain(key) {
  try { return key.includes('%') ? decodeURIComponent(key) : key; } catch (e) { return key; }
}
