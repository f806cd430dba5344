/** The texts that say what let a call run. */
export const ran = {
  because: "Ran because: {why}",
  "change.request": "See the decision",
  "change.grant": "See or revoke the grant",
  "change.policy": "See or change the policy",
  "change.tool": "Ask before each call",
} as const;
