import type { Body, ConsoleEndpoint } from "./endpoint.ts";
import { type Apis, toResponse } from "./forward.ts";

/** The parts of `transaction/trace` that a question to the platform needs. */
interface Trace {
  readonly transaction: Readonly<Record<string, unknown>>;
  readonly links: ReadonlyArray<Readonly<Record<string, unknown>> & { type: string; counts: boolean }>;
}

/**
 * `explain`: `{external_id}` → the answer of `platform.v1 purchase/explain`. The platform knows no organisations; the
 * publisher's trace shows that the purchase belongs to the caller's. Fields of the trace go with the question, for a purchase
 * that the platform did not keep.
 */
export function explainEndpoint(apis: Apis): ConsoleEndpoint {
  return {
    route: "explain",
    role: "support",
    kind: "look-up",
    subject: ({ external_id: id }) => (typeof id === "string" ? id : undefined),
    isNamed: () => true,
    run: async (call) => {
      const { external_id } = call.body;
      const traced = await apis.publisher(call, "transaction/trace", { external_id }, "read");
      if (traced.status !== 200) return toResponse(traced);
      return toResponse(await apis.platform(call, "purchase/explain", questionOf(traced.body as Trace)));
    },
  };
}

const ASKED_FIELDS = [
  "merchant_id",
  "authed_at",
  "statement_descriptor",
  "amount",
  "currency",
  "reverted_at",
];

function questionOf({ transaction, links }: Trace): Body {
  const counting = links.filter(({ counts }) => counts);
  const of = (type: string, ...fields: string[]) =>
    counting.filter((link) => link.type === type).map((link) => pick(link, fields));
  return {
    transaction_id: transaction.id,
    ...pick(transaction, ASKED_FIELDS),
    enrolments: of("enrolment", "stamp_collection_id", "loyalty_program_id"),
    clips: of("clip", "clip_id", "deal_id"),
  };
}

function pick(record: Readonly<Record<string, unknown>>, fields: readonly string[]): Record<string, unknown> {
  const present = fields.filter((field) => record[field] !== undefined && record[field] !== null);
  return Object.fromEntries(present.map((field) => [field, record[field]]));
}
