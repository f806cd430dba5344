// As many lines as were asked for, within what a result can hold.
function page(all) {
  const lines = [];
  let room = 100000;
  for (const line of all) {
    if (lines.length >= most) break;
    if (line.length > room) {
      if (lines.length === 0) lines.push(line.slice(0, room).replace(/[\uD800-\uDBFF]$/, '') + '…');
      break;
    }
    lines.push(line);
    room -= line.length;
  }
  return lines;
}
