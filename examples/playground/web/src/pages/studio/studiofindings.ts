import { useEffect, useState } from "preact/hooks";
import { get, send } from "../../api/client";
import type { StudioDiff, StudioPreview, StudioToolDetail, StudioToolList } from "../../api/types";
import { useLater } from "../../ui/data";
import { goodName, type Spec } from "./spec";

/** useFindings asks the server what it makes of the document on the page, shortly after each change: what it would be,
 * whether that is about what is on the page now (current), whether its name is taken, and for a fork what separates it from the original. */
export function useFindings(id: string, spec: Spec | null, tool: StudioToolDetail | null) {
  const [preview, setPreview] = useState<StudioPreview | null>(null);
  const [seen, setSeen] = useState<Spec | null>(null); // the document of the preview
  const [previewProblem, setPreviewProblem] = useState<unknown>(null);
  const [taken, setTaken] = useState(false);
  const [origin, setOrigin] = useState<StudioDiff | null>(null);
  const late = useLater(spec, 150);
  useEffect(() => {
    if (!late) return;
    const stop = new AbortController();
    send<StudioPreview>("POST", "/api/tools/preview", late, { signal: stop.signal }).then(
      ({ data }) => !stop.signal.aborted && (setPreview(data), setSeen(late), setPreviewProblem(null)),
      (e: unknown) => !stop.signal.aborted && setPreviewProblem(e),
    );
    return () => stop.abort();
  }, [late]);
  const lateName = useLater(spec?.name ?? "", 300);
  useEffect(() => {
    if (!goodName.test(lateName)) return setTaken(false);
    const stop = new AbortController();
    get<StudioToolList>("/api/tools?limit=200&q=" + encodeURIComponent(lateName), stop.signal).then(
      (l) => setTaken(l.items.some((t) => t.name === lateName && t.id !== id)),
      () => {},
    );
    return () => stop.abort();
  }, [lateName, id]);
  useEffect(() => {
    if (!tool?.forkedFrom) return;
    get<StudioDiff>("/api/tools/" + encodeURIComponent(tool.id) + "/diff?against=origin").then(
      setOrigin,
      () => {},
    );
  }, [tool?.id, tool?.version]);
  return { preview, current: seen === spec, previewProblem, taken, origin };
}
