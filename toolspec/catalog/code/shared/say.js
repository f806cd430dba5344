// say writes a number for people, without digits that nobody reads.
function say(n) {
  return String(Number(Math.abs(n) < 1000 ? n.toPrecision(6) : n.toFixed(2)));
}
