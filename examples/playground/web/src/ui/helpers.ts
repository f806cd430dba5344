/** What the sandbox gives to code: how it is written, what it does, and what a tool must declare for it. */
export interface Helper {
  name: string;
  call: string;
  says: string;
  needs?: string;
}

const read = "Declare Files: Read.";
const write = "Declare Files: Read and write.";

const fs: [string, string, string, string][] = [
  ["readText", "(path)", "The whole text of a file, as UTF-8.", read],
  ["list", '(dir = ".")', "What is in a directory, sorted. Nothing when it is not there.", read],
  ["exists", "(path)", "Whether there is something that may be read.", read],
  ["stat", "(path)", "{size, mtime, directory}: bytes, milliseconds since 1970, a boolean.", read],
  [
    "grep",
    "(pattern, path, {caseInsensitive, limit, numbered})",
    "The lines that match, at most 10,000.",
    read,
  ],
  ["lineCount", "(path)", "How many lines a file has.", read],
  [
    "slice",
    "(path, start, end)",
    "Lines from start up to end, counted from 0; negative counts from the end.",
    read,
  ],
  ["cut", "(path, {fields, delimiter, regex})", "Columns of each line; fields count from 1.", read],
  ["sort", "(path, {reverse, numeric, caseInsensitive, unique})", "The lines of a file in order.", read],
  ["find", "(dir, glob, {maxDepth, type})", "Files whose name matches; type is file or dir.", read],
  [
    "searchInFiles",
    "(dir, glob, pattern, {caseInsensitive, maxDepth, limit})",
    "[{file, line, text}], at most 1,000.",
    read,
  ],
  ["writeText", "(path, content)", "Writes a file in the workspace, and the directories above it.", write],
  ["appendText", "(path, content)", "Adds to the end of a file.", write],
  [
    "editText",
    "(path, old, new, replaceAll = false)",
    "{path, replacements}. Fails when old is not there, or there twice.",
    write,
  ],
  ["copy", "(from, to)", "Copies a file.", write],
  ["move", "(from, to)", "Moves a file.", write],
  ["delete", "(path)", "Deletes a file; says whether there was one.", write],
  ["deleteDir", "(path)", "Deletes a directory with all in it; says how many.", write],
  ["workspace", "()", "The directory that may be written to.", read],
  ["readRoots", "()", "The directories that may be read.", read],
];

export const helpers: Helper[] = [
  {
    name: "fetch",
    call: "await fetch(url, {method, headers, body, maxLength, startIndex})",
    says: "Asks a host, and gives a response with status, text(), json() and arrayBuffer(). Any status resolves.",
    needs: "Declare the host under Network.",
  },
  {
    name: "console.log",
    call: "console.log(…)",
    says: "A line of the console of the run. Secrets are masked.",
  },
  { name: "console.warn", call: "console.warn(…)", says: "A line of the console, as a warning." },
  {
    name: "console.error",
    call: "console.error(…)",
    says: "A line of the console, as an error. The run goes on.",
  },
  ...fs.map(([name, call, says, needs]): Helper => ({
    name: "safety.fs." + name,
    call: "safety.fs." + name + call,
    says,
    needs,
  })),
  {
    name: "safety.parser.csv",
    call: 'safety.parser.csv(text, {header = false, delimiter = ","})',
    says: "Lists of cells, or with header objects by column.",
  },
  {
    name: "safety.parser.xml",
    call: "safety.parser.xml(text)",
    says: "{tag, attrs, text, children} for each element. A DOCTYPE is refused.",
  },
  {
    name: "safety.parser.yaml",
    call: "safety.parser.yaml(text)",
    says: "One document as values. Tags of its own are refused.",
  },
  {
    name: "safety.parser.html",
    call: "safety.parser.html(text, baseUri)",
    says: "A document with select(css), text(), attr(name) and the like.",
  },
  { name: "crypto.randomUUID", call: "crypto.randomUUID()", says: "A random UUID." },
  {
    name: "crypto.getRandomValues",
    call: "crypto.getRandomValues(typedArray)",
    says: "Fills an array with random numbers.",
  },
  {
    name: "crypto.subtle.digest",
    call: 'await crypto.subtle.digest("SHA-256", bytes)',
    says: "A hash, as an ArrayBuffer.",
  },
  { name: "atob", call: "atob(text)", says: "Base64 to text." },
  { name: "btoa", call: "btoa(text)", says: "Text to Base64." },
  { name: "structuredClone", call: "structuredClone(value)", says: "A deep copy." },
  { name: "TextEncoder", call: "new TextEncoder()", says: "Text to bytes, as UTF-8." },
  { name: "TextDecoder", call: "new TextDecoder()", says: "Bytes to text." },
  { name: "URL", call: "new URL(text, base)", says: "The parts of an address." },
  { name: "URLSearchParams", call: "new URLSearchParams(query)", says: "The members of a query." },
  { name: "setTimeout", call: "setTimeout(run, ms)", says: "Later, within the time of the run." },
];

export const helperOf = (name: string) => helpers.find((h) => h.name === name);
