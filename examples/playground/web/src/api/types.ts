// Made from the description of the API; do not edit. See server/types_test.go.
/** Why a request failed (RFC 9457). Branch on code. A problem may have further members. */
export type Problem = {
  /** A stable slug. */
  code: string;
  detail?: string;
  fields?: HttpapiField[];
  requestId: string;
  /** When another try may help. */
  retryAfterMs?: number;
  status: number;
  title: string;
  type: string;
};
export type ApprovalAnswer = {
  /** Run in place of those that were asked about; they must match the schema. */
  arguments?: unknown;
  /** How many, for the scope calls. */
  calls?: number;
  /** What was typed, where the request has confirm. */
  confirmName?: string;
  decision: "approved" | "declined" | "cancelled";
  /** What the model is told of a denial. */
  note?: string;
  /** One of the scopes of the request. Default once. */
  scope?: "once" | "arguments" | "conversation" | "calls" | "time" | "always";
  /** For the scope time: at most 8 hours ahead. */
  until?: string;
};
export type ApprovalDecided = {
  /** What runs in place of what was asked about, secrets masked. */
  arguments?: unknown;
  at?: string;
  by: ApprovalPerson;
  calls?: number;
  note?: string;
  outcome: string;
  scope?: string;
  until?: string;
  via?: string;
};
export type ApprovalExplainBody = {
  arguments?: unknown;
  conversation?: string;
  /** Whose call. Left out: yours. */
  principal?: ApprovalPerson;
  serverId?: string;
  side: "chat" | "server" | "studio";
  toolName: string;
};
export type ApprovalExplanation = {
  /** What would become of the call: deny, ask or run. */
  effect: string;
  rows: ApprovalRow[];
};
export type ApprovalFinding = {
  detail?: string;
  rule: string;
  severity: string;
};
export type ApprovalGrantItem = {
  by: ApprovalPerson;
  calls?: number;
  conversation?: string;
  created: string;
  /** Of the arguments that it is bound to. */
  digest?: string;
  expires: string;
  fingerprint: string;
  id: string;
  /** When it was last used. */
  last?: string;
  level: string;
  principal: ApprovalPerson;
  /** The question that it was given at. */
  request: string;
  scope: string;
  server?: string;
  side: string;
  tool: string;
  used: number;
  via?: string;
};
export type ApprovalGrantList = {
  items: ApprovalGrantItem[];
  nextCursor?: string;
};
export type ApprovalItem = {
  alias?: string;
  /** What runs when the answer is yes, secrets masked. */
  arguments: unknown;
  /** The turn that asks for several calls at once. */
  batch?: string;
  callId?: string;
  changes?: string[];
  /** What must be typed to approve: send it as confirmName. */
  confirm?: string;
  conversation?: string;
  created: string;
  deadline: string;
  decisions: ApprovalDecided[];
  description?: string;
  /** SHA-256 of the arguments in canonical form, unmasked. */
  digest: string;
  ended?: string;
  findings?: ApprovalFinding[];
  /** The tool as it was when the question was asked. */
  fingerprint: string;
  id: string;
  level: string;
  /** A secret is masked in the arguments: they cannot be edited here where it stands. */
  masked?: boolean;
  /** How many different people must approve. */
  needed: number;
  /** How it ended: approved, declined, cancelled, timed-out, unavailable or failed. */
  outcome?: string;
  /** Whose call it is. */
  principal: ApprovalPerson;
  prompt: string;
  /** The level with its word, such as L3 Moderate. */
  risk: string;
  /** The row of the precedence table that asks. */
  rule?: number;
  /** What edited arguments must match. Without it they cannot be edited. */
  schema?: unknown;
  scopes: string[];
  /** Empty is this program itself. */
  server?: string;
  /** The arguments for people: invisible characters escaped, cut to 400 characters. */
  shown: string;
  side: "chat" | "server" | "studio";
  state: "pending" | "decided" | "expired" | "used";
  title?: string;
  tool: string;
  /** When its call was let run. */
  used?: string;
  why?: string[];
};
export type ApprovalItemList = {
  items: ApprovalItem[];
  nextCursor?: string;
};
export type ApprovalPerson = {
  /** Who vouches for the subject. */
  issuer?: string;
  subject?: string;
  /** How they came in. */
  via?: string;
};
export type ApprovalPolicyBody = {
  /** ALWAYS_ALLOW runs the tool although it asks for approval itself. */
  overridesRequired?: boolean;
  policy: "ALWAYS_ALLOW" | "ALWAYS_DENY" | "ASK_USER";
  rules?: ApprovalPolicyRule[];
  /** Empty is this program itself, * every server. */
  serverId: string;
  /** Left out: every side, which ALWAYS_ALLOW cannot cover. */
  side?: "chat" | "server" | "studio";
  /** The tool's own name, or * for all of the server. */
  toolName: string;
};
export type ApprovalPolicyItem = {
  at?: string;
  by: ApprovalPerson;
  /** It stands in the policy file. */
  fixed?: boolean;
  /** ALWAYS_ALLOW runs the tool although it asks for approval itself. */
  overridesRequired?: boolean;
  policy: "ALWAYS_ALLOW" | "ALWAYS_DENY" | "ASK_USER";
  /** The stored policy cannot be read, and refuses what it covers. */
  problem?: string;
  rules?: ApprovalPolicyRule[];
  /** Empty is this program itself, * every server. */
  serverId: string;
  /** Left out: every side, which ALWAYS_ALLOW cannot cover. */
  side?: "chat" | "server" | "studio";
  /** The tool's own name, or * for all of the server. */
  toolName: string;
};
export type ApprovalPolicyList = {
  items: ApprovalPolicyItem[];
  nextCursor?: string;
};
export type ApprovalPolicyRule = {
  effect: "deny" | "ask";
  not?: boolean;
  operator: "equals" | "oneOf" | "prefix" | "under" | "host" | "matches" | "absent";
  /** A JSON Pointer into the arguments. */
  pointer: string;
  reason?: string;
  /** A text; for equals any value, for oneOf an array, for absent nothing. */
  value?: unknown;
};
export type ApprovalRevoked = {
  revoked: number;
};
export type ApprovalRow = {
  decides: boolean;
  detail?: string;
  effect?: string;
  matches: boolean;
  number: number;
  rule: string;
};
export type ApprovalShortAnswer = {
  approved: boolean;
  /** What the model is told of a denial. */
  note?: string;
};
export type HttpapiField = {
  /** A stable slug. */
  code: string;
  message: string;
  /** The member, such as params[2].name; empty for the whole. */
  path: string;
};
export type McphubCapabilityDiff = {
  prompts?: McphubListDiff;
  resources?: McphubListDiff;
  templates?: McphubListDiff;
  tools?: McphubListDiff;
};
export type McphubCheckRow = {
  detail?: string;
  name: string;
  status: string;
};
export type McphubEndpoint = {
  address: string;
  auth: string;
  kind: string;
  required?: string[];
};
export type McphubIdentity = {
  name: string;
  title?: string;
  version: string;
};
export type McphubInspectionError = {
  code?: number;
  data?: unknown;
  kind: string;
  message: string;
};
export type McphubListDiff = {
  added?: string[];
  changed?: string[];
  removed?: string[];
};
export type McphubPendingQuestion = {
  askedAt: string;
  deadline: string;
  id: string;
  inspectionId?: string;
  method: string;
  params?: unknown;
  serverId: string;
};
export type McphubRelayPolicy = {
  maxDepth?: number;
  maxQuestions?: number;
  maxSamples?: number;
  maxTokens?: number;
  noForms?: boolean;
  noUrls?: boolean;
  roots?: boolean;
  sampling?: boolean;
  samplingTools?: boolean;
};
export type McphubServerNote = {
  at: string;
  kind: string;
  lagged?: number;
  level?: string;
  logger?: string;
  method?: string;
  params?: unknown;
  questionId?: string;
  seq: number;
  serverId: string;
  summary: string;
};
export type McphubServerStatus = {
  attempts?: number;
  authorizationUrl?: string;
  challenges?: string[];
  endpoint: McphubEndpoint;
  era?: string;
  error?: string;
  generation: number;
  lastSyncedAt?: string;
  missing?: string[];
  promptCount: number;
  protocol?: string;
  resourceCount: number;
  retryAt?: string;
  running: number;
  server?: McphubIdentity;
  serverId: string;
  since: string;
  staleSince?: string;
  state: string;
  syncError?: string;
  syncStatus: string;
  templateCount: number;
  toolCount: number;
  version: number;
  waiting: number;
};
export type McphubStatusEvent = {
  at: string;
  diff?: McphubCapabilityDiff;
  kind: string;
  lagged?: number;
  previousState?: string;
  seq: number;
  servers?: McphubServerStatus[];
  status?: McphubServerStatus;
};
export type McphubWireMessage = {
  at: string;
  cut?: boolean;
  id?: string;
  method?: string;
  sent: boolean;
  size: number;
  text: string;
  transport: string;
};
export type McphubApproveBody = {
  /** That of the definition that was looked at. */
  fingerprint: string;
  serverId: string;
  toolName: string;
};
export type McphubCallBody = {
  /** An object. */
  arguments?: unknown;
  name: string;
};
export type McphubCapabilityItem = {
  lastSyncedAt?: string;
  /** What was left out of the lists, and why. */
  problems?: string[];
  prompts: McphubOfferedItem[];
  resourceTemplates: McphubOfferedItem[];
  resources: McphubOfferedItem[];
  /** It comes from the store; no session has confirmed it yet. */
  restored?: boolean;
  serverId: string;
  staleSince?: string;
  syncStatus: "never-synced" | "syncing" | "synced" | "sync-failed";
  tools: McphubOfferedItem[];
};
export type McphubCheckItem = {
  at: string;
  elapsedMs: number;
  ok: boolean;
  rows: McphubCheckRow[];
  serverId: string;
};
export type McphubCompleteBody = {
  argument: string;
  /** The arguments that are chosen already. */
  given?: Record<string, string>;
  /** The name of the prompt; or else template. */
  prompt?: string;
  /** The URI template of the resource template. */
  template?: string;
  value?: string;
};
export type McphubExecuteBody = {
  /** An object. */
  arguments?: unknown;
  conversationId?: string;
  serverId: string;
  toolName: string;
};
export type McphubExecuteError = {
  /** Such as SECURITY for a call that was refused. */
  kind: string;
  /** A stable slug, such as approval-denied. */
  reason: string;
};
export type McphubExecuteResult = {
  /** A list of pieces of content, as MCP has them. */
  content: unknown;
  /** What kind of failure it was. */
  error?: McphubExecuteError;
  isError: boolean;
  structuredContent?: unknown;
};
export type McphubInspectionItem = {
  at: string;
  elapsedMs: number;
  error?: McphubInspectionError;
  id: string;
  ok: boolean;
  operation: string;
  params?: unknown;
  result?: unknown;
  serverId: string;
  shortened?: boolean;
  wire: McphubWireMessage[];
  wireCut?: number;
};
export type McphubInspectionList = {
  items: McphubInspectionItem[];
  nextCursor?: string;
};
export type McphubLevelBody = {
  level: "debug" | "info" | "notice" | "warning" | "error" | "critical" | "alert" | "emergency";
};
export type McphubMemberBody = {
  alias?: string;
  description?: string;
  hitl?: boolean;
  serverId: string;
  toolName: string;
};
export type McphubMemberItem = {
  alias?: string;
  approvedAt?: string;
  /** What was approved. */
  approvedDefinition?: unknown;
  approvedFingerprint?: string;
  /** What the server says of the tool now. */
  definition?: unknown;
  description?: string;
  /** Of what the server offers now: name it to approve. */
  fingerprint?: string;
  /** A person agrees to each call. */
  hitl: boolean;
  /** The name under which it is served, or would be. */
  name: string;
  serverId: string;
  /** served, awaiting-approval, changed, missing, name-taken or invalid. */
  state: string;
  toolName: string;
};
export type McphubMemberList = {
  items: McphubMemberItem[];
  nextCursor?: string;
};
export type McphubNoteList = {
  items: McphubServerNote[];
  nextCursor?: string;
};
export type McphubOfferedItem = {
  definition: unknown;
  fingerprint: string;
  /** The name of a tool or prompt, the URI of a resource, the URI template of a template. */
  key: string;
};
export type McphubPageBody = {
  /** The nextCursor of the page before. */
  cursor?: string;
};
export type McphubPendingList = {
  items: McphubPendingQuestion[];
};
export type McphubPromptBody = {
  arguments?: Record<string, string>;
  name: string;
};
export type McphubQuestionAnswer = {
  action: "accept" | "decline" | "cancel";
  /** For accept: the fields of the form, or the message of a completion. An object. */
  answer?: unknown;
};
export type McphubRawBody = {
  method: string;
  /** An object. */
  params?: unknown;
};
export type McphubReplayBody = {
  id: string;
};
export type McphubRevokeBody = {
  serverId: string;
  toolName: string;
};
export type McphubRootItem = {
  name?: string;
  /** A file: URI. */
  uri: string;
};
export type McphubRootList = {
  items: McphubRootItem[];
};
export type McphubServerBody = {
  category?: string;
  /** How it is reached, an object. A mask, ***, keeps what it stands for. */
  connection?: unknown;
  description?: string;
  disabled?: boolean;
  /** 1 to 64 characters of A-Z a-z 0-9 . _ and -. */
  id: string;
  name?: string;
  protocolVersions?: string[];
  relay?: McphubRelayPolicy;
  tags?: string[];
  /** 0 to an hour; 0 is the default. */
  timeoutMs?: number;
  transport?: string;
  /** The version that is changed; left out for a new one. */
  version?: number;
};
export type McphubServerItem = {
  category?: string;
  /** How it is reached, an object. What may be a secret is masked. */
  connection: unknown;
  description?: string;
  disabled?: boolean;
  id: string;
  /** The members of the connection in which something is masked. */
  masked?: string[];
  name?: string;
  /** The protocol versions to agree on. */
  protocolVersions?: string[];
  /** Which of its questions reach whoever calls it, in place of what holds for all. */
  relay?: McphubRelayPolicy;
  status: McphubServerStatus;
  tags?: string[];
  /** Bounds one call. */
  timeoutMs?: number;
  /** The kind of the connection, such as http or stdio. Empty: what the connection looks like. */
  transport?: string;
  updatedAt?: string;
  /** Send it along with a change. */
  version: number;
};
export type McphubServerList = {
  items: McphubServerItem[];
  nextCursor?: string;
  /** Records that cannot be read, and why, by id. On the first page. */
  unreadable?: Record<string, string>;
};
export type McphubShareApproveBody = {
  fingerprint: string;
  serverId: string;
};
export type McphubShareBody = {
  allowChanges?: boolean;
  prompts?: string[];
  resourceTemplates?: string[];
  resources?: string[];
  serverId: string;
};
export type McphubShareEntry = {
  /** What the server says of it now. */
  definition?: unknown;
  /** Its URI, URI template or name, as the server spells it. */
  key: string;
  kind: "resource" | "resource template" | "prompt";
  /** The name under which a prompt is served, or would be. */
  name?: string;
  /** The server that has it, where the name is taken. */
  owner?: string;
  problem?: string;
  state: string;
};
export type McphubShareItem = {
  /** What the server adds or changes later is served too. */
  allowChanges?: boolean;
  approvedAt?: string;
  /** Of all that is chosen and there now: name it to approve. */
  fingerprint?: string;
  items: McphubShareEntry[];
  /** Patterns of names. */
  prompts?: string[];
  /** Patterns of URI templates. */
  resourceTemplates?: string[];
  /** Patterns of URIs; * stands for any text. */
  resources?: string[];
  serverId: string;
};
export type McphubShareList = {
  items: McphubShareItem[];
  nextCursor?: string;
};
export type McphubShareRevokeBody = {
  serverId: string;
};
export type McphubSubscriptionList = {
  /** URIs. */
  items: string[];
};
export type McphubSyncItem = {
  error?: string;
  ok: boolean;
  /** It has not ended yet. */
  running: boolean;
  status: McphubServerStatus;
};
export type McphubTrialItem = {
  error?: string;
  latencyMs: number;
  /** Placeholders without a value. */
  missing?: string[];
  ok: boolean;
  protocolVersion?: string;
  serverInfo?: McphubIdentity;
  /** How many there are on the first page of the list. */
  toolCount: number;
};
export type McphubUriBody = {
  uri: string;
};
export type ServerAttention = {
  kind: "approval" | "settings" | "test_failed" | "stale_pass" | "server";
  text: string;
  where: string;
};
export type ServerBuiltin = {
  /** Clients need a token. */
  auth: boolean;
  calls: number;
  /** Those that are connected now, the newest first. */
  clients: ServerClient[];
  endpoint: string;
  name: string;
  protocolVersions: string[];
  recent: ServerRecentCall[];
  /** What all definitions together cost a model with each request, an estimate. */
  schemaTokens: number;
  title: string;
  tools: ServerServedTool[];
  version: string;
};
export type ServerClient = {
  /** A person can be asked by way of it. */
  elicitation: boolean;
  name: string;
  protocolVersion?: string;
  since: string;
  version?: string;
};
export type ServerClientConfig = {
  checked: string;
  id: string;
  language: "json" | "toml" | "shell" | "go" | "python";
  note?: string;
  text: string;
  title: string;
  where: ServerConfigPlace[];
};
export type ServerConfigList = {
  items: ServerClientConfig[];
};
export type ServerConfigPlace = {
  path: string;
  system: string;
};
export type ServerDone = {
  ok: boolean;
};
export type ServerHealth = {
  go: string;
  home: string;
  startedAt: string;
  /** How much the home holds, at most a minute ago. */
  stateBytes: number;
  system: string;
  version: string;
};
export type ServerHome = {
  attention: ServerAttention[];
  /** How many calls there were since the start. */
  calls: number;
  /** Where MCP clients reach the tools. */
  endpoint: string;
  health: ServerHealth;
  /** How many of them there are of each risk level. */
  levels: Record<string, number>;
  /** How many tools clients are offered. */
  live: number;
  /** How many questions wait for a person. */
  pending: number;
  /** What the home remembers is published again. */
  ready: boolean;
  recent: ServerRecentCall[];
  /** How many connected servers there are in each state. */
  servers: Record<string, number>;
  tour: ServerTourState;
};
export type ServerLogin = {
  token: string;
};
export type ServerMeta = {
  assets: string;
  auth: "none" | "token";
  endpoint: string;
  /** Changes when the program is started again. */
  epoch: string;
  /** Others than this machine can reach it. */
  exposed: boolean;
  /** The surfaces that are there. */
  features: string[];
  /** Clients at the endpoint need a token. */
  mcpAuth: boolean;
  version: string;
};
export type ServerRecentCall = {
  at: string;
  by: string;
  durationMs: number;
  /** The kind of failure, such as SECURITY. */
  kind?: string;
  level: string;
  ok: boolean;
  reason?: string;
  tool: string;
  toolId?: string;
  via?: string;
};
export type ServerSecretBody = {
  /** It is sealed and never sent back. */
  value: string;
};
export type ServerSecretInfo = {
  name: string;
  origin: "stored" | "environment" | "missing";
  updatedAt?: string;
  usedBy: string[];
};
export type ServerSecretList = {
  items: ServerSecretInfo[];
};
export type ServerServedTool = {
  approval: boolean;
  description: string;
  level: string;
  name: string;
  schemaTokens: number;
  /** Left out for a tool of another server. */
  toolId?: string;
};
export type ServerSetting = {
  help: string;
  name: string;
  origin: "default" | "file" | "environment" | "flag";
  source?: string;
  value: string;
};
export type ServerSettingList = {
  items: ServerSetting[];
};
export type ServerTourBody = {
  skipped: boolean;
};
export type ServerTourState = {
  skipped: boolean;
  steps: ServerTourStep[];
};
export type ServerTourStep = {
  /** Left out while it is not done. */
  doneAt?: string;
  id: "make" | "test" | "publish" | "call" | "break";
  toolId?: string;
};
export type StudioapiAnnotations = {
  destructiveHint?: boolean;
  openWorldHint?: boolean;
  readOnlyHint?: boolean;
};
export type StudioapiCaseResult = {
  accessesCut?: number;
  denials: ToolspecDenial[];
  error?: StudioapiFailure;
  files: ToolspecAccess[];
  limits?: StudioapiLimits;
  message?: string;
  name: string;
  network: ToolspecAccess[];
  ok: boolean;
  result?: StudioapiResult;
  runtime?: ToolspecRuntime;
  usage?: StudioapiUsage;
};
export type StudioapiConsoleLine = {
  level: "log" | "info" | "warn" | "error" | "debug";
  ms: number;
  text: string;
};
export type StudioapiDefinition = {
  annotations: StudioapiAnnotations;
  description: string;
  inputSchema: unknown;
  name: string;
  outputSchema?: unknown;
  title?: string;
};
export type StudioapiDiagnostic = {
  code: "SPEC_PARSE" | "SPEC_INVARIANT" | "RESOLVER_REJECT" | "LOCAL_PASS_FAILED";
  col?: number;
  /** What to do about it. */
  fix?: string;
  line?: number;
  message: string;
  /** The member, such as params[2].testValue; empty for the document. */
  path: string;
  /** A stable slug, such as tags-too-many. */
  reason: string;
  severity: "error" | "warning";
};
export type StudioapiDiff = {
  against: "live" | "origin";
  /** From that version to the tool as it is stored. */
  difference: ToolspecDifference;
  /** Of a fork: the original changed since it was forked. */
  originChanged?: boolean;
};
export type StudioapiExposureRecord = {
  /** What the user publishes is offered unless it is excluded. */
  autoAdd: boolean;
  excludedToolIds: string[];
  exposedToolIds: string[];
  mode?: "both" | "builtin" | "composed";
};
export type StudioapiFacets = {
  categories: Record<string, number>;
  levels: Record<string, number>;
  sources: Record<string, number>;
  states: Record<string, number>;
  tags: Record<string, number>;
};
export type StudioapiFailure = {
  col?: number;
  component?: string;
  kind: string;
  /** In the code, from 1. */
  line?: number;
  message: string;
  reason?: string;
};
export type StudioapiImportReport = {
  /** How many there are of each outcome. */
  counts: Record<string, number>;
  /** Nothing was stored. */
  dryRun: boolean;
  items: ToolspecImportResult[];
};
export type StudioapiLimits = {
  statements?: number;
  timeoutMs: number;
};
export type StudioapiPosture = {
  destructive: boolean;
  fileRead: boolean;
  fileWrite: boolean;
  fsBasePath?: string;
  network: ToolspecNetworkPosture;
  statements?: number;
  timeoutMs: number;
};
export type StudioapiPreset = {
  description?: string;
  displayName: string;
  id: string;
  isDefault: boolean;
  /** Names of tools. */
  tools: string[];
};
export type StudioapiPresetList = {
  items: StudioapiPreset[];
};
export type StudioapiPreview = {
  contentHash: string;
  diagnostics: StudioapiDiagnostic[];
  level: string;
  /** What clients see in tools/list. */
  mcpDefinition: StudioapiDefinition;
  /** Placeholders without a value here. */
  missing: string[];
  /** The level that clients are shown where a person approves each call. */
  mitigated: string;
  /** What a run may do; null when this host grants none. */
  posture: StudioapiPosture | null;
  /** What makes the level so high, each with the level that it forces. */
  reasons: string[];
  /** What the definition costs a model with each request: its bytes divided by four, rounded up. An estimate. */
  schemaTokens: number;
  valid: boolean;
};
export type StudioapiPublishRequest = {
  /** true for a tool of L4, its name for one of L5. */
  confirm?: unknown;
  /** The id of the receipt that was reviewed. When another one holds by now, nothing is published. */
  receipt: string;
};
export type StudioapiPublished = {
  /** The difference from what was live before, or from nothing. */
  diff: ToolspecDifference;
  receipt: StudioapiReceipt;
  /** Another version was live before. */
  replaced: boolean;
  tool: StudioapiToolDetail;
};
export type StudioapiReceipt = {
  at: string;
  cases: number;
  contentHash: string;
  durationMs: number;
  id: string;
  level: string;
  /** The network was answered from recorded exchanges. */
  recorded: boolean;
  runtime: ToolspecRuntime;
};
export type StudioapiResult = {
  /** Of the whole text. */
  bytes: number;
  structured?: unknown;
  text: string;
  /** The text was cut, and the structured part left out. */
  truncated?: boolean;
};
export type StudioapiRun = {
  cases: StudioapiCaseResult[];
  /** What the code printed, in order. Code that may differ from run to run is run twice. */
  console: StudioapiConsoleLine[];
  /** How many lines more there were. */
  consoleCut?: number;
  contentHash: string;
  createdAt: string;
  diagnostics: StudioapiDiagnostic[];
  /** Of the run itself, without waiting. */
  durationMs: number;
  finishedAt?: string;
  kind: "test" | "try" | "trace";
  level: string;
  /** Why it is not passed. */
  message?: string;
  missing?: string[];
  name: string;
  receipt?: StudioapiReceipt;
  runId: string;
  startedAt?: string;
  state: "queued" | "running" | "passed" | "failed" | "stopped" | "error";
  toolId: string;
  /** What a trace found: what was reached, and a proposal of the spec. */
  trace?: unknown;
  version?: number;
};
export type StudioapiRunEvent = {
  durationMs?: number;
  line?: StudioapiConsoleLine;
  message?: string;
  runId: string;
  state?: "running" | "passed" | "failed" | "stopped" | "error";
  toolId: string;
};
export type StudioapiRunRequest = {
  /** An object of arguments: runs the tool once with them. Nothing is recorded. */
  args?: unknown;
  /** Names of cases of the spec, or their positions from 1: runs those alone. Nothing is recorded. */
  cases?: string[];
  /** With args or cases: without the fixtures of the spec, with the real network and real secrets as far as the posture goes. */
  live?: boolean;
};
export type StudioapiRunStarted = {
  runId: string;
};
export type StudioapiTool = {
  /** A person is asked before each call. */
  approval: boolean;
  category: string;
  description: string;
  /** How many errors its document has. */
  errors: number;
  /** Why the last test failed, or what is not supported. */
  failure?: string;
  forkedFrom?: ToolspecOrigin;
  id: string;
  /** The inherent risk level, L0 to L5. */
  level: string;
  /** It is published. */
  live: boolean;
  /** Placeholders without a value. */
  missing?: string[];
  /** One band lower where a person approves each call of L4 or L5. */
  mitigatedLevel: string;
  name: string;
  /** When it earned the pass that it holds, or held before it was changed. */
  passedAt?: string;
  /** What its definition costs a model with each request: bytes divided by four, an estimate. */
  schemaTokens: number;
  source: "mine" | "bundled" | "loaded";
  state: "draft" | "passed" | "live" | "needs_settings" | "test_failed" | "unsupported" | "stale_pass";
  tags: string[];
  updatedAt?: string;
  version?: number;
  warnings: number;
};
export type StudioapiToolDetail = {
  /** A person is asked before each call. */
  approval: boolean;
  catalogHash: string;
  category: string;
  /** What a pass is bound to. */
  contentHash: string;
  description: string;
  diagnostics: StudioapiDiagnostic[];
  /** How many errors its document has. */
  errors: number;
  /** Why the last test failed, or what is not supported. */
  failure?: string;
  forkedFrom?: ToolspecOrigin;
  id: string;
  /** The inherent risk level, L0 to L5. */
  level: string;
  /** It is published. */
  live: boolean;
  /** Placeholders without a value. */
  missing?: string[];
  /** One band lower where a person approves each call of L4 or L5. */
  mitigatedLevel: string;
  name: string;
  /** When it earned the pass that it holds, or held before it was changed. */
  passedAt?: string;
  /** What a run may do; null when this host grants none. */
  posture: StudioapiPosture | null;
  readOnly: boolean;
  /** What makes the level so high. */
  reasons: string[];
  /** The valid pass. */
  receipt?: StudioapiReceipt;
  /** What its definition costs a model with each request: bytes divided by four, an estimate. */
  schemaTokens: number;
  source: "mine" | "bundled" | "loaded";
  /** The document, with ${NAME} placeholders as they are written. */
  spec: unknown;
  state: "draft" | "passed" | "live" | "needs_settings" | "test_failed" | "unsupported" | "stale_pass";
  tags: string[];
  updatedAt?: string;
  version?: number;
  warnings: number;
};
export type StudioapiToolList = {
  /** How many there are. */
  all: number;
  facets: StudioapiFacets;
  items: StudioapiTool[];
  nextCursor?: string;
  /** How many the filters let through. */
  total: number;
  /** Stored documents that cannot be read. */
  unreadable?: string[];
};
export type StudioapiUsage = {
  cpuMs?: number;
  durationMs: number;
  hostCalls?: number;
  outputBytes: number;
  statements?: number;
};
export type StudioapiValidation = {
  diagnostics: StudioapiDiagnostic[];
  /** It has no error. Warnings keep nobody from anything. */
  valid: boolean;
};
export type ToolspecAccess = {
  bytes?: number;
  component: string;
  count: number;
  op: string;
  status?: number;
  target: string;
};
export type ToolspecClaimedPass = {
  members: string[];
  runtime?: string;
};
export type ToolspecDenial = {
  component: string;
  detail?: string;
  reason: string;
};
export type ToolspecDiffRow = {
  after: string;
  before: string;
  direction: string;
  field: string;
  item?: string;
  text: string;
};
export type ToolspecDiffSide = {
  contentHash: string;
  level: string;
  name: string;
  postureHash?: string;
};
export type ToolspecDifference = {
  codeDiff?: string;
  from: ToolspecDiffSide | null;
  rows: ToolspecDiffRow[];
  to: ToolspecDiffSide | null;
  wider: boolean;
};
export type ToolspecImportResult = {
  claimedPass?: ToolspecClaimedPass;
  level: string;
  missing?: string[];
  name: string;
  outcome: string;
  pointer?: string;
  problems?: ToolspecProblem[];
  state?: string;
  toolId?: string;
  unknown?: string[];
  wasNamed?: string;
};
export type ToolspecNetworkPosture = {
  hosts: string[];
  mode: string;
};
export type ToolspecOrigin = {
  catalogHash: string;
  name: string;
  toolId: string;
};
export type ToolspecProblem = {
  code: string;
  column?: number;
  line?: number;
  message: string;
  pointer?: string;
  reason: string;
  remedy?: string;
  severity: string;
};
export type ToolspecRuntime = {
  id: string;
  tier: string;
  version: string;
};
