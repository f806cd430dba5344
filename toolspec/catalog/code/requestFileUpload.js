// Asks the person for a file. The file comes with the next message; this tool
// reads none.

// include shared/card.js

const asked = clean(prompt, 300);
if (asked === '') throw new Error('prompt is blank; say which file is wanted and what for');

// Endings and media types, in the words of a file chooser.
const groups = { image: ['image/*'], images: ['image/*'], picture: ['image/*'], pictures: ['image/*'], photo: ['image/*'], audio: ['audio/*'], video: ['video/*'], text: ['.txt', '.md'], excel: ['.xlsx', '.xls'], spreadsheet: ['.csv', '.xlsx', '.ods'], word: ['.docx', '.doc'], any: [], '*': [], '*/*': [] };
const types = [];
for (const part of accept === undefined ? [] : accept.split(/[,;\s]+/)) {
  const one = part.toLowerCase().replace(/^["'[]+|["'\]]+$/g, '').replace(/^\*(?=\.)/, '');
  if (one === '') continue;
  let found;
  if (Object.hasOwn(groups, one)) found = groups[one];
  else if (/^[a-z]+\/([a-z0-9.+-]+|\*)$/.test(one)) found = [one];
  else if (/^\.?[a-z0-9]{1,10}(\.[a-z0-9]{1,10})?$/.test(one)) found = [one.startsWith('.') ? one : '.' + one];
  else throw new Error('accept holds "' + clean(part, 40) + '"; write endings or media types such as ".csv, .xlsx, image/*"');
  for (const f of found) if (!types.includes(f)) types.push(f);
}
if (types.length > 20) throw new Error('accept names ' + types.length + ' kinds of files, at most 20 fit; leave it out to take any');
const most = maxMegabytes === undefined ? 10 : maxMegabytes;
if (!(most > 0 && most <= 100)) throw new Error('maxMegabytes must be more than 0 and at most 100, is ' + most);

const payload = { type: 'upload', prompt: asked };
if (types.length > 0) payload.accept = types;
payload.multiple = multiple === true;
payload.maxBytes = Math.floor(most * 1048576);
return card('Asked the person to upload ' + (payload.multiple ? 'files' : 'a file') + (types.length === 0 ? '' : ' (' + types.join(', ') + ')') + ': ' + asked + (/[.!?…]$/.test(asked) ? '' : '.') + ' Wait until it arrives.', payload);
