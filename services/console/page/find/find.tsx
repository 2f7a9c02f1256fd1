import { useEffect, useRef, useState } from "preact/hooks";
import { call } from "../api.ts";
import { goTo } from "../frame/address.ts";
import type { Parameters } from "../frame/page-definition.ts";
import { mayActAs, useSession } from "../frame/roles.ts";
import { Link, pathOf } from "../frame/router.tsx";
import { Screen } from "../parts/screen.tsx";
import { Loading, Message } from "../parts/states.tsx";
import type { Finding } from "./find-place.ts";
import { type LookedUp, lookUp } from "./look-up.ts";
import { type Query, readQuery } from "./read-query.ts";

/** One box for every kind of id and name. The address holds the text: `/find/order-1`. */
export function FindPage({ parameters }: { readonly parameters: Parameters }) {
  const query = parameters.query === undefined ? undefined : readQuery(parameters.query);
  return (
    <Screen title="Find">
      <FindBox text={query?.text ?? ""} />
      {query === undefined ? <WhatToGive /> : <Results query={query} />}
    </Screen>
  );
}

function FindBox({ text }: { readonly text: string }) {
  const [typed, setTyped] = useState(text);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (text === "") field.current?.focus();
  }, [text]);
  const find = (event: Event) => {
    event.preventDefault();
    const query = readQuery(typed);
    if (query !== undefined) goTo(pathOf("find", query.text));
  };
  return (
    <search>
      <form class="find-box" onSubmit={find}>
        <label class="unseen" for="find">
          An external_id, a ref, or an id
        </label>
        <input
          id="find"
          ref={field}
          type="text"
          value={typed}
          placeholder="external_id, ref, or any id"
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          onInput={(event) => setTyped(event.currentTarget.value)}
        />
        <button type="submit" class="primary">
          Find
        </button>
      </form>
    </search>
  );
}

function WhatToGive() {
  return (
    <dl class="find-help">
      <dt>A purchase</dt>
      <dd>
        its <code>external_id</code>, also where all its events were rejected
      </dd>
      <dt>A member</dt>
      <dd>
        the <code>ref</code>, in all memberbases
      </dd>
      <dt>A purchase of which you know where it was</dt>
      <dd>
        the member's ref, the retailer's name or a merchant id, and the day, with commas between:{" "}
        <code>ada, Corner Coffee, yesterday</code>
      </dd>
      <dt>A retailer</dt>
      <dd>its name, or one of its merchant ids</dd>
      <dt>Anything with an id of ours</dt>
      <dd>
        <code>tx_</code> <code>m_</code> <code>qp_</code> <code>sc_</code> <code>cb_</code> <code>red_</code>{" "}
        <code>clip_</code> <code>evt_</code> <code>dlv_</code> <code>whk_</code> <code>batch_</code> …: it
        leads to the purchase or member that it belongs to
      </dd>
    </dl>
  );
}

function Results({ query }: { readonly query: Query }) {
  const [looked, setLooked] = useState<LookedUp>();
  const [turn, setTurn] = useState(0);
  // `text` stands for the query; `turn` looks again.
  useEffect(() => {
    let isGone = false;
    setLooked(undefined);
    lookUp(query, call, { now: new Date() }).then((found) => isGone || setLooked(found));
    return () => {
      isGone = true;
    };
  }, [query.text, turn]);
  if (looked === undefined) return <Loading />;
  const { findings, missed, failed } = looked;
  return (
    <>
      {findings.length > 0 && <Findings findings={findings} />}
      {failed.length > 0 && (
        <Message
          title={findings.length > 0 ? "Not everything could be looked for" : "This could not be looked for"}
          kind="failed"
        >
          <ul>
            {failed.map(({ what, message }) => (
              <li key={what}>
                {what}: {message}
              </li>
            ))}
          </ul>
          <button type="button" onClick={() => setTurn(turn + 1)}>
            Try again
          </button>
        </Message>
      )}
      {findings.length === 0 && failed.length === 0 && <Nothing query={query} missed={missed} />}
    </>
  );
}

/** The first one gets the focus, so that Enter opens it. */
function Findings({ findings }: { readonly findings: readonly Finding[] }) {
  const place = useRef<HTMLUListElement>(null);
  const { role, platform } = useSession();
  // Programs, deals and retailers are for operators and above.
  const mayOpen = (path: string) =>
    !/^\/(program|deal|retailer)\//.test(path) || (platform && mayActAs(role, "operator"));
  useEffect(() => place.current?.querySelector("a")?.focus(), []);
  return (
    <ul class="findings" ref={place}>
      {findings.map(({ kind, title, detail, path }) => (
        <li key={`${kind} ${path} ${title}`}>
          <span class="finding-kind">{kind}</span>
          {path !== undefined && mayOpen(path) ? (
            <Link to={path} class="finding-title">
              {title}
            </Link>
          ) : (
            <span class="finding-title">{title}</span>
          )}
          {detail !== undefined && <span class="quiet">{detail}</span>}
        </li>
      ))}
    </ul>
  );
}

function Nothing({ query, missed }: { readonly query: Query; readonly missed: readonly string[] }) {
  if (missed.length === 0) {
    return (
      <Message title="Nothing can have this name">
        An external_id has at most 128 characters, a ref and a name of a retailer 256, none of them a control
        character.
      </Message>
    );
  }
  return (
    <Message title="Nothing was found">
      <div class="find-nothing">
        <p>Looked for, in this organisation:</p>
        <ul>
          {missed.map((what) => (
            <li key={what}>{what}</li>
          ))}
        </ul>
        {query.hint !== undefined && <p>{query.hint}</p>}
        <p class="quiet">Upper and lower case count, and so does every character.</p>
      </div>
    </Message>
  );
}
