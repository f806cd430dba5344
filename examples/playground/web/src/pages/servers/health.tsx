import { post } from "../../api/client";
import type { McphubServerItem } from "../../api/types";
import { Foreign } from "../../ui/hostile";
import { Ago, Button, counted, ms } from "../../ui/parts";
import { base } from "../inspector/inspectops";
import { formOf } from "./connectionform";
import { useConsent } from "./consent";
import { ProgramConsent } from "./programconsent";
import { kindName, meaningOf, ServerState } from "./serverstate";

/** Health is the state of a connection with what can be done about it. */
export function Health({
  server,
  fail,
  reload,
}: {
  server: McphubServerItem;
  fail: (e: unknown) => void;
  reload: () => void;
}) {
  const { id, status } = server;
  const here = "/servers/" + encodeURIComponent(id);
  const form = formOf(server);
  const stdio = form.transport === "stdio";
  const consent = useConsent([form.command, ...form.args]);
  const connected = status.state === "CONNECTED";
  const act = (what: string) => {
    fail(null);
    void post(base(id) + "/" + what)
      .catch(fail)
      .then(reload);
  };
  const meaning = server.disabled
    ? "It is disabled: nothing connects to it. Edit it to change that."
    : status.missing
      ? ""
      : meaningOf(status.state);
  return (
    <section class="card stack" aria-label="Health" data-testid="server-status">
      <div class="row spread">
        <span class="row">
          <ServerState state={server.disabled ? "disabled" : status.state} />
          {status.server?.name && (
            <strong class="wrap">
              <Foreign text={status.server.name + " " + (status.server.version ?? "")} />
            </strong>
          )}
        </span>
        <span class="row">
          {connected ? (
            <>
              <Button
                tid="server-sync"
                onClick={() => act("sync")}
                title="Asks the server again what it offers"
              >
                Refresh
              </Button>
              <Button tid="server-stop" onClick={() => act("stop")}>
                Disconnect
              </Button>
            </>
          ) : (
            status.state !== "AWAITING_AUTHORIZATION" && (
              <Button
                tid="server-connect"
                kind="primary"
                disabled={(server.disabled ?? false) || (stdio && !consent.given)}
                onClick={() => (stdio && consent.note(), act("connect"))}
              >
                Connect
              </Button>
            )
          )}
          <a class="btn" href={here + "/inspect/tools"} data-testid="server-inspect">
            Inspect
          </a>
          <a class="btn" href={here + "/edit"} data-testid="server-edit">
            Edit
          </a>
        </span>
      </div>
      {server.description && (
        <p class="wrap">
          <Foreign text={server.description} />
        </p>
      )}
      {meaning && (
        <p class="hint" data-testid="server-meaning">
          {meaning}
        </p>
      )}
      {stdio && !connected && !server.disabled && <ProgramConsent form={form} consent={consent} />}
      <dl class="facts">
        <div>
          <dt>{kindName(status.endpoint.kind)}</dt>
          <dd>
            <code class="wrap">
              <Foreign text={status.endpoint.address} />
            </code>
          </dd>
        </div>
        <div>
          <dt>{connected ? "Connected" : "Since"}</dt>
          <dd>
            <Ago at={status.since} />
            {connected && status.connectMs ? ", took " + ms(status.connectMs) : ""}
          </dd>
        </div>
        <div>
          <dt>Offers</dt>
          <dd class="num" data-testid="server-offers">
            {status.lastSyncedAt
              ? [
                  counted(status.toolCount, "tool") +
                    (status.toolsLeftOut ? " (" + status.toolsLeftOut + " left out)" : ""),
                  counted(status.resourceCount, "resource"),
                  counted(status.promptCount, "prompt"),
                ].join(", ")
              : "not known yet"}
          </dd>
        </div>
        {status.lastSyncedAt && (
          <div>
            <dt>Last asked</dt>
            <dd>
              <Ago at={status.lastSyncedAt} />
            </dd>
          </div>
        )}
        {status.protocol && (
          <div>
            <dt>Protocol</dt>
            <dd class="num">{status.protocol}</dd>
          </div>
        )}
        {status.running + status.waiting > 0 && (
          <div>
            <dt>Calls</dt>
            <dd class="num">
              {status.running} running{status.waiting > 0 ? ", " + status.waiting + " waiting" : ""}
            </dd>
          </div>
        )}
      </dl>
    </section>
  );
}
