import { ApiError } from "#contract";
import { jsonResponse } from "#http";
import type { Body, ConsoleEndpoint } from "./endpoint.ts";
import { type Apis, toResponse } from "./forward.ts";

/** The parts of `transaction/trace` that the platform can be asked with. */
interface Trace {
  readonly transaction: Readonly<Record<string, unknown>>;
  readonly links: ReadonlyArray<Readonly<Record<string, unknown>> & { type: string; counts: boolean }>;
}

/**
 * `explain`: `{external_id}` → what `platform.v1 purchase/explain` says of that purchase. The platform knows no organisations:
 * that the purchase is one of the caller's organisation, the publisher's trace shows, which is also sent along for a purchase
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
      if (!apis.hasPlatform) {
        throw new ApiError("not_found", "this console has no token of the platform", {
          reason: "no_platform",
        });
      }
      const explained = await apis.platform(call, "purchase/explain", questionOf(traced.body as Trace));
      return explained.status === 200 ? jsonResponse(200, explained.body) : toResponse(explained);
    },
  };
}

const RECORD_FIELDS = [
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
    ...pick(transaction, RECORD_FIELDS),
    enrolments: of("enrolment", "stamp_collection_id", "loyalty_program_id"),
    clips: of("clip", "clip_id", "deal_id"),
  };
}

function pick(record: Readonly<Record<string, unknown>>, fields: readonly string[]): Record<string, unknown> {
  const present = fields.filter((field) => record[field] !== undefined && record[field] !== null);
  return Object.fromEntries(present.map((field) => [field, record[field]]));
}
