import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";

interface Props {
  text: string;
  /** The text does not grow any more. */
  done: boolean;
}

let shown: ComponentType<Props> | null = null;

/** fetchMarkdown fetches what shows Markdown: a page without a conversation does without. It never fails. */
export async function fetchMarkdown(): Promise<void> {
  if (shown) return;
  try {
    shown = (await import("./markup")).Markdown;
  } catch {
    // The text is shown as it is.
  }
}

/** Markdown shows a text of a model; as it is, where what shows Markdown could not be fetched. */
export function Markdown(props: Props) {
  const [, redraw] = useState(0);
  useEffect(() => {
    if (!shown) void fetchMarkdown().then(() => redraw(1));
  }, []);
  const Shown = shown;
  if (Shown) return <Shown {...props} />;
  return (
    <div class="wrap" dir="auto">
      {props.text}
    </div>
  );
}
