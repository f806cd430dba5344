// Drafts a mail. Nothing is sent: the person reads the card and sends it.

// include shared/card.js

// Addresses stand with commas or semicolons between them, with or without names.
function addresses(text, what) {
  const found = [];
  if (text === undefined) return found;
  const parts = text.replace(/^mailto:/i, '').replace(/"[^"]*"/g, '').replace(/^\s*\[|\]\s*$/g, '').split(/[,;\n]/);
  for (const part of parts) {
    const one = (/<([^<>]*)>\s*$/.exec(part) || [null, part])[1].trim();
    if (one === '') continue;
    if (one.length > 254 || !/^[^\s@<>()[\]\\,;:"'`]{1,64}@[^\s@<>()[\]\\,;:"'`._-][^\s@<>()[\]\\,;:"'`]*\.[^\s@<>()[\]\\,;:"'`.]{2,}$/.test(one)) {
      throw new Error(what + ' holds "' + clean(one, 80) + '", which is no mail address; write addresses such as ada@example.com, with commas between them');
    }
    if (!found.some((f) => f.toLowerCase() === one.toLowerCase())) found.push(one);
  }
  if (found.length > 50) throw new Error(what + ' has ' + found.length + ' addresses, at most 50 fit');
  return found;
}
const payload = { type: 'email', to: addresses(to, 'to') };
if (payload.to.length === 0) throw new Error('to holds no mail address; pass one such as ada@example.com');
const copies = addresses(cc, 'cc');
if (copies.length > 0) payload.cc = copies;
const hidden = addresses(bcc, 'bcc');
if (hidden.length > 0) payload.bcc = hidden;

// A subject is one line, so that it cannot add header lines to the mail.
payload.subject = clean(subject, 250);
payload.body = body.replace(/\r\n?/g, '\n').replace(/[\u0000-\u0008\u000b-\u001f\u007f\u202a-\u202e\u2066-\u2069]/g, '').trim();
if (payload.body.length > 20000) throw new Error('body has ' + payload.body.length + ' characters, at most 20000 fit; shorten it');
const more = payload.to.length > 3 ? ' and ' + (payload.to.length - 3) + ' more' : '';
const carbon = copies.length === 0 ? '' : ', copy to ' + copies.slice(0, 3).join(', ') + (copies.length > 3 ? ' and more' : '');
return card('Mail draft to ' + payload.to.slice(0, 3).join(', ') + more + carbon + ': "' + payload.subject + '". It is not sent: the person sends it from the card.', payload);
