/** Marked shows where the words of a search stand in a text. */
export function Marked({ text, words }: { text: string; words: string }) {
  const list = words
    .toLowerCase()
    .split(/\s+/)
    .filter(Boolean)
    .map((w) => w.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  if (list.length === 0) return <>{text}</>;
  return (
    <>
      {text
        .split(new RegExp("(" + list.join("|") + ")", "i"))
        .map((piece, i) => (i % 2 ? <mark class="found">{piece}</mark> : piece))}
    </>
  );
}
