import { type CallState, useCall } from "../api.ts";
import type { Parameters } from "../frame/page-definition.ts";
import { Link, pathOf } from "../frame/router.tsx";
import { Badge, type BadgeKind } from "../parts/badge.tsx";
import { Id } from "../parts/id.tsx";
import { Json } from "../parts/json.tsx";
import { Moment } from "../parts/moment.tsx";
import { Money } from "../parts/money.tsx";
import { Facts, Screen, Section } from "../parts/screen.tsx";
import { Failed, Loading, Message, States } from "../parts/states.tsx";
import { TimeLine, type TimeLineEntry } from "../parts/time-line.tsx";
import { NearPayments } from "./near-payments.tsx";
import { RejectedEvents } from "./rejected-events.tsx";
import { type PurchaseSentence, purchaseSentence, rejectedSentence, rejectionNote } from "./sentence.ts";
import type { Explanation, Rejection, State, Trace } from "./shapes.ts";
import { sayIgnored, sayStep } from "./step-words.ts";
import { type SaidVerdict, sayVerdicts } from "./verdict-words.ts";
import { sayWaiting } from "./waiting-words.ts";
import type { Reader } from "./words.ts";

const REJECTIONS_SHOWN = 100;

/** One purchase: what it earned in a sentence, its steps, and why it earned no more. */
export function PurchasePage({ parameters }: { readonly parameters: Parameters }) {
  const external_id = parameters.externalId ?? "";
  const trace = useCall("publisher.v1/transaction/trace", { external_id });
  const rejections = useCall("publisher.v1/transaction.rejection/list", {
    external_id,
    pagination: { limit: REJECTIONS_SHOWN },
  });
  const explained = useCall("explain", trace.state === "ready" ? { external_id } : undefined);
  const again = () => {
    for (const call of [trace, rejections, explained]) if ("again" in call) call.again();
  };
  const rejected = rejections.state === "ready" ? rejections.answer.data : [];
  return (
    <Screen
      title="Purchase"
      lead={<Id id={external_id} />}
      actions={
        <button type="button" onClick={again} disabled={trace.state === "loading"}>
          Look again
        </button>
      }
    >
      <States call={trace} missing={<NotStored rejections={rejections} externalId={external_id} />}>
        {(traced) => <Traced trace={traced} explained={explained} rejections={rejected} />}
      </States>
      {rejected.length > 0 && <RejectedEvents rejections={rejected} />}
      {trace.state === "ready" && rejections.state === "failed" && (
        <Section title="Rejected events">
          <Failed error={rejections.error} again={rejections.again} />
        </Section>
      )}
    </Screen>
  );
}

interface TracedProps {
  readonly trace: Trace;
  readonly explained: CallState<Explanation>;
  readonly rejections: readonly Rejection[];
}

function Traced({ trace, explained, rejections }: TracedProps) {
  const reader: Reader = { now: new Date() };
  const explanation = explained.state === "ready" ? explained.answer : undefined;
  const note = rejectionNote(rejections, reader);
  // Only the platform knows why a purchase earned nothing: without its answer the sentence would soon change.
  const isTold = hasEarned(trace) || explained.state !== "loading";
  return (
    <>
      {isTold ? <Sentence sentence={purchaseSentence(trace, explanation, reader)} /> : <Loading />}
      {note !== undefined && <p class="alarm">{note}</p>}
      <PurchaseFacts trace={trace} />
      <Section title="What happened">
        <TimeLine entries={timeLineOf(trace, explanation, reader)} />
      </Section>
      <Why trace={trace} explained={explained} reader={reader} />
      {explanation !== undefined && <NearPayments explanation={explanation} />}
      <div class="purchase-json">
        <Json value={trace} title="The trace as JSON" />
        {explanation !== undefined && <Json value={explanation} title="The platform's explanation as JSON" />}
      </div>
    </>
  );
}

function Sentence({ sentence: { text, standing } }: { readonly sentence: PurchaseSentence }) {
  return (
    <p class={`purchase-sentence purchase-${standing}`} role="status">
      {text}
    </p>
  );
}

function hasEarned({ steps }: Trace): boolean {
  return steps.some(({ kind }) => kind === "stamp" || kind === "cashback");
}

const STATE_BADGES: Readonly<Record<State, BadgeKind>> = {
  authorized: "busy",
  cleared: "good",
  reverted: "plain",
};

function PurchaseFacts({ trace: { transaction } }: { readonly trace: Trace }) {
  const { state, amount, currency, merchant_id, statement_descriptor, member_id, authed_at, id } =
    transaction;
  return (
    <Facts
      facts={[
        { name: "State", value: <Badge kind={STATE_BADGES[state]}>{state}</Badge> },
        { name: "Amount", value: <Money amount={amount} currency={currency} /> },
        { name: "Authorized", value: <Moment at={authed_at} /> },
        { name: "Merchant", value: <code>{merchant_id}</code> },
        { name: "On the statement", value: statement_descriptor },
        {
          name: "Member",
          value:
            member_id === null ? (
              <span class="quiet">deleted</span>
            ) : (
              <Id id={member_id} to={pathOf("member", member_id)} />
            ),
        },
        { name: "Our id", value: <Id id={id} /> },
      ]}
    />
  );
}

function timeLineOf(trace: Trace, explanation: Explanation | undefined, reader: Reader): TimeLineEntry[] {
  const happened = trace.steps.map((step, index) => ({
    key: `${index} ${step.kind}`,
    at: step.at,
    ...sayStep(step, trace.links, reader),
  }));
  const ignored = (trace.ignored ?? []).map((event, index) => ({
    key: `ignored ${index}`,
    at: event.at,
    title: "A later event differed",
    detail: sayIgnored(event),
    state: "stopped" as const,
  }));
  const toCome = trace.waiting.map((waiting, index) => ({
    key: `waiting ${index} ${waiting.code}`,
    at: undefined,
    title: sayWaiting(waiting, reader, explanation),
    state: "waiting" as const,
  }));
  const byTime = [...happened, ...ignored].sort((a, b) => (a.at < b.at ? -1 : Number(a.at > b.at)));
  return [...byTime, ...toCome];
}

interface WhyProps {
  readonly trace: Trace;
  readonly explained: CallState<Explanation>;
  readonly reader: Reader;
}

/** Every enrolment and clip: what it gave for this purchase, or why nothing. */
function Why({ trace, explained, reader }: WhyProps) {
  const explanation = explained.state === "ready" ? explained.answer : undefined;
  const verdicts = sayVerdicts(trace, explanation, reader);
  return (
    <Section title={hasEarned(trace) ? "What counted, and what did not" : "Why no stamp?"}>
      {explanation !== undefined && <p class="quiet">{explanation.routing.text}</p>}
      {explained.state === "loading" && <Loading />}
      {explained.state === "failed" && (
        <NotExplained message={explained.error.message} again={explained.again} />
      )}
      {explained.state === "forbidden" && <NotExplained message={explained.error.message} />}
      {verdicts.length === 0 ? (
        <p class="empty">
          {trace.transaction.member_id === null
            ? "The member was deleted, and its cards and clips with it."
            : "The member has no stamp card and no saved deal."}
        </p>
      ) : (
        <ul class="verdicts">
          {verdicts.map((verdict) => (
            <Verdict key={verdict.id} verdict={verdict} />
          ))}
        </ul>
      )}
    </Section>
  );
}

function NotExplained({ message, again }: { readonly message: string; readonly again?: () => void }) {
  return (
    <Message title="The platform could not be asked">
      <span>{message}</span>
      {again !== undefined && (
        <button type="button" onClick={again}>
          Try again
        </button>
      )}
    </Message>
  );
}

const VERDICT_BADGES: Readonly<Record<SaidVerdict["label"], BadgeKind>> = {
  Earned: "good",
  Waiting: "busy",
  "Taken back": "plain",
  "Not earned": "plain",
};

function Verdict({ verdict: { name, what, label, text } }: { readonly verdict: SaidVerdict }) {
  return (
    <li>
      <span class="verdict-name">
        {name} <span class="quiet">{what}</span>
      </span>
      <Badge kind={VERDICT_BADGES[label]}>{label}</Badge>
      <span>{text}</span>
    </li>
  );
}

interface NotStoredProps {
  readonly rejections: CallState<{ readonly data: readonly Rejection[] }>;
  readonly externalId: string;
}

function NotStored({ rejections, externalId }: NotStoredProps) {
  return (
    <States call={rejections}>
      {({ data }) =>
        data.length > 0 ? (
          <Sentence sentence={rejectedSentence(data, { now: new Date() })} />
        ) : (
          <Message title="No purchase has this external_id">
            <span>
              No event with it was taken, and none was rejected in the last 30 days. Upper and lower case
              count.
            </span>
            <Link to={pathOf("find", externalId)}>Look for something else with this name</Link>
          </Message>
        )
      }
    </States>
  );
}
