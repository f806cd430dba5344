// Posts a message to the Slack channel of an incoming webhook.
const message = text.replace(/\r\n?/g, '\n').trim();
if (message === '') throw new Error('text is blank; pass what the message says');
if (message.length > 12000) throw new Error('text has ' + message.length + ' characters, at most 12000 are posted; shorten it or link to the rest');

// These three signs stand for mentions and links in Slack; as text they cannot
// call a whole channel (<!channel>) or hide where a link goes.
const safe = message.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
const response = await fetch(webhookUrl, {
  method: 'POST',
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify({ text: safe }),
});
const told = response.text().trim().slice(0, 200);
if (response.ok && told === 'ok') return { posted: true, characters: message.length };

// Slack tells what is wrong in one word.
const known = {
  no_service: 'the webhook is switched off or gone; make a new one and set SLACK_WEBHOOK_URL',
  no_active_hooks: 'the webhook is switched off or gone; make a new one and set SLACK_WEBHOOK_URL',
  no_team: 'the workspace of the webhook is gone; set another SLACK_WEBHOOK_URL',
  team_disabled: 'the workspace of the webhook is switched off',
  invalid_token: 'the webhook address is wrong; check SLACK_WEBHOOK_URL',
  channel_not_found: 'the channel of the webhook is gone; make a new webhook',
  channel_is_archived: 'the channel of the webhook is archived; make a webhook for another channel',
  action_prohibited: 'an administrator does not let this webhook post',
  posting_to_general_channel_denied: 'this webhook may not post to the general channel',
};
if (Object.hasOwn(known, told)) throw new Error('Slack did not take the message: ' + known[told]);
if (response.status === 429) {
  const wait = response.headers.get('retry-after');
  throw new Error('Slack: too many messages; try again ' + (wait === null ? 'later' : 'in ' + wait + ' seconds'));
}
throw new Error('Slack did not take the message: it answered ' + response.status + (told === '' ? '' : ' (' + told + ')'));
