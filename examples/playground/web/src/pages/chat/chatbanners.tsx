import { useState } from "preact/hooks";
import { post, send } from "../../api/client";
import type { ChatAPIConversationDetail, ServerModelState } from "../../api/types";
import { kept } from "../../ui/data";
import { Button } from "../../ui/parts";

interface Props {
  detail: ChatAPIConversationDetail | null;
  model: ServerModelState | null;
  /** The conversation is of another provider than the model. */
  locked: boolean;
  act: (run: () => Promise<unknown>) => void;
  onRestore: () => Promise<unknown>;
  onFork: () => Promise<unknown>;
  onModel: () => void;
}

/** Banners tell what keeps a conversation from going on as people expect. */
export function Banners({ detail, model, locked, act, onRestore, onFork, onModel }: Props) {
  const [strip, setStrip] = useState(kept.read("lp-demo-strip") !== "off");
  const missing = detail && !detail.turns ? (detail.missingTools ?? []) : [];
  return (
    <>
      {detail?.deletedAt && (
        <div class="banner amber" data-testid="chat-deleted">
          <span>This conversation was deleted. It goes for good some minutes later.</span>
          <Button tid="chat-restore" small onClick={() => act(onRestore)}>
            Take it back
          </Button>
        </div>
      )}
      {missing.length > 0 && (
        <div class="banner amber" data-testid="tools-missing">
          <span class="wrap">Not offered here: {missing.map((m) => m.message).join("; ")}.</span>
        </div>
      )}
      {model?.state === "demo" && strip && (
        <div class="banner" data-testid="demo-strip">
          <span>
            You are talking to a scripted demo, not an AI. It follows fixed rules so you can try every button
            offline.{" "}
            <a href="/settings/models" data-testid="demo-connect">
              Connect a model
            </a>
            .
          </span>
          <Button
            tid="demo-strip-close"
            small
            kind="quiet"
            icon="close"
            label="Dismiss"
            onClick={() => (setStrip(false), kept.write("lp-demo-strip", "off"))}
          />
        </div>
      )}
      {model?.state === "unreachable" && (
        <div class="banner amber" data-testid="model-strip">
          <span class="wrap">
            {model.provider} at {model.place || "its usual place"} cannot be reached: {model.problem}
          </span>
          <Button
            tid="strip-retry"
            small
            onClick={() => act(async () => (await post("/api/settings/model/check"), onModel()))}
          >
            Retry
          </Button>
          <Button
            tid="strip-use-demo"
            small
            onClick={() =>
              act(
                async () => (
                  await send("PUT", "/api/settings/model", { provider: "demo", name: "demo" }),
                  onModel()
                ),
              )
            }
          >
            Use demo model
          </Button>
          <a href="/settings/models" data-testid="strip-settings">
            Open settings
          </a>
        </div>
      )}
      {locked && (
        <div class="banner amber" data-testid="provider-lock">
          <span>
            This conversation belongs to {detail!.provider}; your model is now of {model!.provider}. It goes
            on with {detail!.provider}, or as a copy with {model!.provider}.
          </span>
          <Button tid="provider-fork" small onClick={() => act(onFork)}>
            Fork to {model!.provider}
          </Button>
        </div>
      )}
    </>
  );
}
