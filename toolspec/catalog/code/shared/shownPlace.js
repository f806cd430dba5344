function shown(p) { // as the workspace has it
  const root = safety.fs.workspace();
  if (p === root) return '.';
  const rest = p.startsWith(root) ? p.slice(root.length) : '';
  return /^[\\/]./.test(rest) ? rest.slice(1) : p.replace(/^(\.[\\/]+)+(?=.)/, '');
}
