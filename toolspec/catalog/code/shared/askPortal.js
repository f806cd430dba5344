// Asks the data portal and gives the text of the answer, or null when there is no
// data. Errors come as XML or as JSON whatever was asked for, and with any status;
// they name the office, and the service that the key must have been granted.
async function ask(url, office, service, accept = 'application/json') {
  // Some services refuse a request without a User-Agent.
  const response = await fetch(url.href, { headers: { Accept: accept, 'User-Agent': 'localpass' } });
  const text = response.text();
  const member = (name) => {
    const m = new RegExp('<' + name + '>([^<]*)<|"' + name + '"\\s*:\\s*"?([^",}]*)').exec(text);
    return m ? (m[1] || m[2] || '').trim() : '';
  };
  const code = member('returnReasonCode') || member('resultCode');
  const why = [...new Set([member('errMsg'), member('returnAuthMsg') || member('resultMsg')])].filter((w) => w !== '').join(', ');
  const number = /^\d+$/.test(code) ? Number(code) : NaN;
  const shown = [why, code === '' ? 'HTTP status ' + response.status : 'code ' + code].filter((w) => w !== '').join(', ');
  if (number === 22 || response.status === 429) throw new Error('the daily limit of requests for this service is reached (' + shown + '); try again tomorrow');
  if ([20, 30, 31, 32].includes(number) || response.status === 401 || response.status === 403) {
    throw new Error('the data portal refuses the key (' + shown + '); check DATA_GO_KR_SERVICE_KEY, and that its account has applied for ' + service + ' at www.data.go.kr');
  }
  if (response.ok && (number === 3 || /NO_?DATA/i.test(why))) return null;
  if (!response.ok || number !== 0) throw new Error(office + ' answered: ' + shown + '; check the arguments, or try again later');
  return text;
}
