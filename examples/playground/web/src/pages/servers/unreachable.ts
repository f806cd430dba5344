const causes: [RegExp, string][] = [
  [/connection refused/i, "Nothing answers at this address. Start the server, or correct the address."],
  [/no such host|lookup .* server misbehaving/i, "There is no server of this name. Correct the address."],
  [/x509|certificate|tls:/i, "Its certificate cannot be trusted."],
  [
    /\b(401|403)\b|unauthorized|forbidden/i,
    "It refuses the key or sign-in of this connection. Edit the connection.",
  ],
  [/\b404\b/, "The address is not that of an MCP server. Correct the address."],
  [
    /executable file not found|no such file|permission denied/i,
    "The program cannot be started. Correct its name or path.",
  ],
  [
    /exit status|exited|EOF|broken pipe|signal: /i,
    "The program or server ended the connection. Test it to see where.",
  ],
  [/deadline|timeout|timed out/i, "It did not answer in time."],
];

/** whyUnreachable says in plain words what keeps a server from being used, and what can be done. */
export const whyUnreachable = (error: string) =>
  causes.find(([pattern]) => pattern.test(error))?.[1] ??
  "It cannot be reached, or does not answer as an MCP server. Edit the connection and test it.";
