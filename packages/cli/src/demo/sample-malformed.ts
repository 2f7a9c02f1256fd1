import type { MalformedRequest, SampleEvent } from "./sample.ts";

/**
 * A fault, the field that the answer must name (empty: the event as a whole), and how it is made. Between them they
 * break every rule of the schema once (contract, section 6).
 */
interface Fault {
  readonly malformed: string;
  readonly field: string;
  readonly change: Readonly<Record<string, unknown>>;
}

const FAULTS: readonly Fault[] = [
  { malformed: "no member", field: "ref", change: { ref: undefined } },
  { malformed: "no auth_code", field: "auth_code", change: { auth_code: undefined } },
  { malformed: "no authed_at", field: "authed_at", change: { authed_at: undefined } },
  { malformed: "a field nobody knows", field: "amonut", change: { amonut: 100 } },
  { malformed: "bin with letters", field: "bin", change: { bin: "4571736O" } },
  { malformed: "bin too long", field: "bin", change: { bin: "457173601" } },
  { malformed: "bin as a number", field: "bin", change: { bin: 457173 } },
  { malformed: "unknown network", field: "network", change: { network: "discover" } },
  { malformed: "negative amount", field: "amount", change: { amount: -1 } },
  { malformed: "fraction of a minor unit", field: "amount", change: { amount: 12.5 } },
  { malformed: "amount as text", field: "amount", change: { amount: "1250" } },
  { malformed: "retired currency", field: "currency", change: { currency: "DEM" } },
  { malformed: "timestamp without offset", field: "authed_at", change: { authed_at: "2026-01-05T10:00:00" } },
  { malformed: "30 February", field: "authed_at", change: { authed_at: "2026-02-30T10:00:00Z" } },
  { malformed: "merchant_id with a tab", field: "merchant_id", change: { merchant_id: "M1\t2" } },
  {
    malformed: "cleared and reverted",
    field: "",
    change: { cleared_at: "2026-01-06T10:00:00Z", reverted_at: "2026-01-07T10:00:00Z" },
  },
  {
    malformed: "card number in the descriptor",
    field: "statement_descriptor",
    change: { statement_descriptor: "CARD 4111 1111 1111 1111" },
  },
  { malformed: "card number as auth_code", field: "auth_code", change: { auth_code: "4111-1111-1111-1111" } },
];

export const MALFORMED_REQUESTS = FAULTS.length;
/** One malformed event between two good ones, which must not be stored either. */
export const EVENTS_PER_MALFORMED_REQUEST = 3;

/** The request for fault `number`, out of three good events that are sent nowhere else. */
export function makeMalformed(number: number, events: readonly SampleEvent[]): MalformedRequest {
  const { malformed, field, change } = FAULTS[number] as Fault;
  const [before, broken, after] = events as [SampleEvent, SampleEvent, SampleEvent];
  const named = field === "ref" ? "member_id" : field;
  return {
    malformed,
    path: named === "" ? "/events/1" : `/events/1/${named}`,
    events: [before, JSON.parse(JSON.stringify({ ...broken, ...change })), after],
  };
}
