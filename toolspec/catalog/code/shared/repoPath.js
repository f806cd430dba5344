// "owner/name" from that text or from the address of a page of the repository.
// Each part is checked, so that nothing in it can lead to another place.
function repoPath(text) {
  const page = /^(?:https?:\/\/)?(?:www\.)?github\.com\/([^/?#\s]+)\/([^/?#\s]+)/i.exec(text.trim());
  const plain = /^([^/\s]+)\/([^/\s]+)$/.exec(text.trim());
  const [, owner, last] = page || plain || [];
  const name = last === undefined ? '' : last.replace(/\.git$/, '');
  if (owner === undefined || !/^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/.test(owner) || !/^[A-Za-z0-9._-]{1,100}$/.test(name) || /^\.+$/.test(name)) {
    throw new Error('repo is "' + text + '"; pass owner/name, such as facebook/react');
  }
  return owner + '/' + name;
}
