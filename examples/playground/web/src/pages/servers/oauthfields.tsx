import { useState } from "preact/hooks";
import { Button, Segments, Select, Text } from "../../ui/parts";
import { Foreign } from "../../ui/hostile";
import { RedirectURI } from "./signin";

/** OAuth is the member "oauth" of a connection, as far as the form has a place for it. */
export interface OAuth {
  clientId?: string;
  clientSecret?: string;
  clientAuthenticationMethod?: string;
  issuerUri?: string;
  authorizationUri?: string;
  tokenUri?: string;
  scopes?: string[] | string;
  grant?: string;
  [more: string]: unknown;
}

const list = (scopes: OAuth["scopes"]): string[] =>
  Array.isArray(scopes) ? scopes : typeof scopes === "string" ? scopes.split(/[ ,]+/).filter(Boolean) : [];

/** OAuthFields say how a token is got. null: none is wanted. */
export function OAuthFields({
  value,
  onValue,
  placeholder,
}: {
  value: OAuth | null;
  onValue: (o: OAuth | null) => void;
  placeholder: string;
}) {
  const [typed, type] = useState("");
  const v = value ?? {};
  const set = (p: OAuth) => {
    const next: OAuth = { ...v, ...p };
    for (const [k, x] of Object.entries(next))
      if (x === "" || (Array.isArray(x) && x.length === 0)) delete next[k];
    onValue(next);
  };
  const scopes = list(v.scopes);
  const add = () => {
    const more = typed.split(/[ ,]+/).filter((s) => s !== "" && !scopes.includes(s));
    if (more.length > 0) set({ scopes: [...scopes, ...more] });
    type("");
  };
  return (
    <div class="stack tight">
      <Segments
        tid="auth-kind"
        label="Sign-in"
        value={value ? "oauth" : "none"}
        options={[
          ["none", "None, or by a header"],
          ["oauth", "OAuth"],
        ]}
        onChange={(k) => onValue(k === "oauth" ? {} : null)}
      />
      {value && (
        <>
          <Text
            tid="oauth-client"
            label="Client id"
            mono
            value={v.clientId ?? ""}
            onInput={(clientId) => set({ clientId })}
            hint="Empty: this program registers by itself, where the server lets it."
          />
          <Text
            tid="oauth-issuer"
            label="Issuer"
            mono
            value={v.issuerUri ?? ""}
            onInput={(issuerUri) => set({ issuerUri })}
            placeholder="https://login.example.com"
            hint="Empty: the server names it."
          />
          <fieldset class="field">
            <legend class="label">Scopes</legend>
            {scopes.length > 0 && (
              <ul class="row" data-testid="oauth-scopes">
                {scopes.map((s) => (
                  <li class="chip">
                    <Foreign text={s} />
                    <Button
                      tid="oauth-scope-remove"
                      dataId={s}
                      small
                      kind="quiet"
                      icon="close"
                      label={"Remove the scope " + s}
                      onClick={() => set({ scopes: scopes.filter((o) => o !== s) })}
                    />
                  </li>
                ))}
              </ul>
            )}
            <div class="row nowrap">
              <input
                class="input mono"
                aria-label="Scope to add"
                data-testid="oauth-scope"
                value={typed}
                placeholder="read write"
                onInput={(e) => type(e.currentTarget.value)}
                onKeyDown={(e) => e.key === "Enter" && (e.preventDefault(), add())}
              />
              <Button tid="oauth-scope-add" small disabled={typed.trim() === ""} onClick={add}>
                Add
              </Button>
            </div>
            <span class="hint">None: all that the server says it needs.</span>
          </fieldset>
          <details>
            <summary data-testid="oauth-more">More for servers that cannot be asked</summary>
            <div class="stack tight">
              <Text
                tid="oauth-secret"
                label="Client secret"
                mono
                value={v.clientSecret ?? ""}
                placeholder={placeholder}
                onInput={(clientSecret) => set({ clientSecret })}
                hint="Write a placeholder and keep the value under Settings."
              />
              <Select
                tid="oauth-method"
                label="How the secret is sent"
                value={v.clientAuthenticationMethod ?? ""}
                onChange={(clientAuthenticationMethod) => set({ clientAuthenticationMethod })}
                options={[
                  ["", "as the server prefers"],
                  ["client_secret_basic", "in a header (basic)"],
                  ["client_secret_post", "in the body (post)"],
                  ["none", "not at all"],
                ]}
              />
              <Text
                tid="oauth-authorization"
                label="Address of the sign-in page"
                mono
                value={v.authorizationUri ?? ""}
                onInput={(authorizationUri) => set({ authorizationUri })}
              />
              <Text
                tid="oauth-token"
                label="Address of tokens"
                mono
                value={v.tokenUri ?? ""}
                onInput={(tokenUri) => set({ tokenUri })}
              />
              <Select
                tid="oauth-grant"
                label="Who says yes"
                value={v.grant ?? ""}
                onChange={(grant) => set({ grant })}
                options={[
                  ["", "a person, in a browser"],
                  ["client_credentials", "nobody: the client id and secret are enough"],
                ]}
              />
            </div>
          </details>
          <RedirectURI />
        </>
      )}
    </div>
  );
}
