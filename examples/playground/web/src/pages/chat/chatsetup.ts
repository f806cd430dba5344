import { useState } from "preact/hooks";
import { send } from "../../api/client";
import type { ChatOptions, ServerModelState } from "../../api/types";
import { kept } from "../../ui/data";
import type { Conversation } from "./conversation";

/** What a conversation is begun with when its first question is sent. */
export interface Fresh {
  /** null offers all live tools. */
  tools: string[] | null;
  options: ChatOptions;
  system: string;
}

export interface ChatSetup extends Fresh {
  /** The conversation stays with its provider, which is not the one of the page's model. */
  locked: boolean;
  /** The model that a question names; undefined leaves the choice to the conversation. */
  model: string | undefined;
  /** How much a model thinks; empty is its default. */
  effort: string;
  setEffort: (effort: string) => void;
  /** patch changes the stored conversation. */
  patch: (change: Record<string, unknown>) => Promise<void>;
  chooseTools: (names: string[] | null) => Promise<void>;
  saveSettings: (s: { options: ChatOptions; system: string }) => Promise<void>;
}

/** The address of a model, as the server names it. */
export const modelAddress = (m: ServerModelState | null) => (m ? m.provider + "/" + m.name : "");

/**
 * useChatSetup is what the model is sent besides the question. Before the first
 * question it is kept in the page, then with the conversation.
 */
export function useChatSetup(id: string, conv: Conversation, model: ServerModelState | null): ChatSetup {
  const [fresh, setFresh] = useState<Fresh>({ tools: null, options: {}, system: "" });
  const [effort, setEffort] = useState(kept.read("lp-effort") ?? "");
  const detail = conv.detail;
  const now: Fresh = id
    ? {
        tools: detail?.tools ?? null,
        options: detail?.options ?? {},
        system: detail?.systemPrompt ?? "",
      }
    : fresh;
  const locked = Boolean(
    id && detail?.provider && model && detail.provider !== model.provider && !now.options.model,
  );
  const patch = async (change: Record<string, unknown>) => {
    await send("PATCH", "/api/conversations/" + id, change);
    await conv.refresh();
  };
  return {
    ...now,
    locked,
    model: !locked && model && !now.options.model ? modelAddress(model) : undefined,
    effort,
    setEffort: (e) => {
      setEffort(e);
      kept.write("lp-effort", e || null);
    },
    patch,
    chooseTools: async (names) => {
      if (!id) return setFresh({ ...fresh, tools: names });
      await patch(names === null ? { allTools: true } : { tools: names });
    },
    saveSettings: async ({ options, system }) => {
      if (!id) return setFresh({ ...fresh, options, system });
      await patch({ options, systemPrompt: system });
    },
  };
}
