const problems: Record<string, string> = {
  unsupported: "This kind of file cannot be read. Use a PDF, an office document or text.",
  encrypted: "It needs a password. Save it without one, and add it again.",
  "no-text": "There is no text in it; it may be a scan. Use a file with text.",
  unreadable: "Its text came out unusable. Use another version of it.",
  limit: "It is too large to be read. Divide it, and add the parts.",
  corrupt: "The file is damaged. Use a sound copy.",
  embedder: "The model that makes it searchable failed. Try again when it answers.",
};

/** problemWords says what is wrong with a file and what can be done, by the kind of error that the API names. */
export const problemWords = (kind: unknown) =>
  problems[String(kind ?? "")] ?? "It could not be prepared. Try again.";
