import { type AnswerOf, ApiError, type IgnoredEvent, type RequestOf } from "#contract";
import { type RejectedInPart, toIgnoredEvent, toRejectedEvent } from "#contract/ingest";
import { decodeId, encodeId } from "#domain";
import {
  answerList,
  type CursorKey,
  found,
  type HttpResponse,
  jsonResponse,
  notFound,
  readTimeSpan,
} from "#http";
import type { SharedStore } from "#postgres";
import type { RewardedTransaction } from "#publisher-db";
import type { RateLimiter } from "../auth/rate-limiter.ts";
import { defineEndpoint, type PublisherCall, type PublisherEndpoint } from "../endpoint.ts";
import type { BatchIds } from "../ingest/batch-ids.ts";
import { type Place, toBatchPlaces } from "../ingest/batch-places.ts";
import type { IngestGateway } from "../ingest/ingest-gateway.ts";
import type { SubmissionResult } from "../ingest/ingest-request.ts";
import { unknownMember } from "../members/members.ts";
import { writeReward } from "../wallet/cashbacks.ts";
import { readPreferences } from "./preferences.ts";
import { type RequestResult, readBatch } from "./read-batch.ts";
import { exportTransactions, listTransactions } from "./transaction-lists.ts";
import { getTransaction } from "./transaction-rows.ts";

const RETRY_AFTER_SECONDS = 1;

export function transactionEndpoints(parts: {
  store: SharedStore;
  gateway: IngestGateway;
  cursors: CursorKey;
  batchIds: BatchIds;
  /** Undefined: the number of events per token is limited only by its requests. */
  eventLimiter: RateLimiter | undefined;
}): PublisherEndpoint[] {
  const { store, gateway, cursors, batchIds, eventLimiter } = parts;
  const ingest = (call: PublisherCall<RequestOf<"transaction/ingest">>) => {
    const { events } = call.body;
    const notAccepted = countEvents(eventLimiter, call, events.length);
    const { respondAsync, representation } = readPreferences(call.header("prefer"));
    const { caller, traceId, traceparent } = call;
    const { organisationId } = caller;
    const request = { organisationId, total: events.length, respondAsync, notAccepted };
    try {
      const submitted = gateway.submit({
        organisation: organisationId,
        traceId,
        traceparent,
        events,
        awaited: !respondAsync,
        // Per-event results need the outcome, so `respond-async` wins.
        detailed: representation && !respondAsync,
      });
      return answerSubmitted(submitted, request);
    } catch (error) {
      notAccepted();
      throw error;
    }
  };
  /** Holds none of the events: every garbage collection would copy them until the answer is sent. */
  const answerSubmitted = async (
    submitted: ReturnType<IngestGateway["submit"]>,
    request: {
      readonly organisationId: string;
      readonly total: number;
      readonly respondAsync: boolean;
      readonly notAccepted: () => void;
    },
  ) => {
    const { organisationId, total, respondAsync, notAccepted } = request;
    const { batch, outcome } = await submitted;
    if (outcome.kind === "refused") notAccepted();
    const nameBatch = (places: readonly Place[]) =>
      batchIds.seal(batch, organisationId, toBatchPlaces(total, places));
    const response = answerIngest(batch, total, outcome, nameBatch);
    return respondAsync ? { ...response, headers: { "preference-applied": "respond-async" } } : response;
  };
  return [
    defineEndpoint("transaction/ingest", ingest, {
      refuseAtDoor: () => gateway.refuseAtDoor(),
      refuseUnparsed: ({ organisationId }, bodyBytes) => gateway.refuseUnparsed(organisationId, bodyBytes),
    }),

    defineEndpoint("transaction/get", async ({ body, caller: { organisationId } }) => {
      const transaction = await getTransaction(
        store.lineOf(organisationId),
        organisationId,
        body.external_id,
      );
      return jsonResponse(200, writeTransaction(found(transaction, unknownTransaction)));
    }),

    ...listEndpoints(store, cursors),

    defineEndpoint("transaction.batch/get", async ({ body, caller: { organisationId } }) => {
      const opened = batchIds.open(body.id, organisationId);
      if (opened === undefined) throw notFound("batch", "transaction_batch");
      const outcome = await readBatch(store.lineOf(organisationId), organisationId, opened);
      return jsonResponse(200, writeBatch(body.id, outcome));
    }),
  ];
}

/**
 * Counts the events of a request.
 * @returns call it if none of them was accepted; it holds no event
 */
function countEvents(
  limiter: RateLimiter | undefined,
  { caller, limit }: Pick<PublisherCall<unknown>, "caller" | "limit">,
  count: number,
): () => void {
  if (limiter === undefined) return () => {};
  limit(limiter.take(caller, count));
  return () => limit(limiter.refund(caller, count));
}

function listEndpoints(store: SharedStore, cursors: CursorKey): PublisherEndpoint[] {
  return [
    defineEndpoint("transaction/list", ({ body, caller: { organisationId } }) => {
      const { member_id, state, pagination } = body;
      const authed = readTimeSpan(body);
      const scope = `transaction/list ${member_id} ${state ?? ""} ${authed.since ?? ""} ${authed.until ?? ""}`;
      return answerList(
        { cursors, scope, owner: organisationId, pagination },
        async (page) => {
          const memberId = found(decodeId("m", member_id), unknownMember);
          const listing = { organisationId, memberId, state, authed };
          return found(await listTransactions(store.lineOf(organisationId), listing, page), unknownMember);
        },
        writeTransaction,
      );
    }),

    defineEndpoint("transaction/export", ({ body, caller: { organisationId } }) => {
      const authed = readTimeSpan(body);
      const scope = `transaction/export ${authed.since ?? ""} ${authed.until ?? ""}`;
      return answerList(
        { cursors, scope, owner: organisationId, pagination: body.pagination },
        (page) => exportTransactions(store.lineOf(organisationId), { organisationId, authed }, page),
        writeTransaction,
      );
    }),
  ];
}

export const unknownTransaction = () => notFound("transaction");

function answerIngest(
  batch: string,
  total: number,
  outcome: SubmissionResult,
  nameBatch: (places: readonly Place[]) => string,
): HttpResponse {
  switch (outcome.kind) {
    case "processed": {
      const { created, updated, unchanged, rejected, outcomes, ignoredCount } = outcome;
      const more: Further = {
        ...(outcomes !== undefined && { outcomes }),
        ...writeIgnored(outcome.ignored.map(toIgnoredEvent), ignoredCount),
      };
      if (rejected.length > 0) throw rejectedError({ created, updated, unchanged }, rejected, more);
      const counts = { accepted: total, created, updated, unchanged };
      return jsonResponse(200, { status: "processed", ...counts, ...more }, appliedTo(more));
    }
    case "accepted":
      return jsonResponse(202, { status: "accepted", batch_id: nameBatch(outcome.places), accepted: total });
    case "refused":
      throw new ApiError(
        "unavailable",
        "the stream cannot take these events now; nothing was accepted, send them again",
        { reason: outcome.reason },
        RETRY_AFTER_SECONDS,
      );
    case "unknown":
      throw new ApiError("internal_error", "the outcome is not known; sending the events again is safe", {
        batch_id: encodeId("batch", batch),
      });
  }
}

interface IgnoredFields {
  ignored?: IgnoredEvent[];
  ignored_total?: number;
}

/** Reports everything that was ignored, and nothing if there is nothing to report. */
function writeIgnored(ignored: readonly IgnoredEvent[], total: number): IgnoredFields {
  return total === 0 ? {} : { ignored: [...ignored], ignored_total: total };
}

/** Optional fields of an answer. */
interface Further extends IgnoredFields {
  outcomes?: string;
}

/** The preference that an answer says to have applied, if it has the outcome of each event. */
function appliedTo({ outcomes }: Further): Record<string, string> | undefined {
  return outcomes === undefined ? undefined : { "preference-applied": "return=representation" };
}

/**
 * The other events were still applied: the answer is the error of the first rejected event, and lists all of
 * them.
 */
function rejectedError(
  applied: { created: number; updated: number; unchanged: number },
  rejected: readonly RejectedInPart[],
  more: Further,
): ApiError {
  const first = rejected[0] as RejectedInPart;
  const data = {
    ...(first.code === "not_found" && { resource: "member" }),
    reason: first.reason,
    external_id: first.externalId,
    accepted: applied.created + applied.updated + applied.unchanged,
    ...applied,
    rejected: rejected.map(toRejectedEvent),
    ...more,
  };
  return new ApiError(first.code, describeRejection(first), data, undefined, appliedTo(more));
}

function describeRejection(rejection: RejectedInPart): string {
  const event = `event ${rejection.index}`;
  switch (rejection.reason) {
    case "not_found":
      return `${event}: no such member`;
    case "member_not_restored":
      return `${event}: its member was lost when the database was restored; the event is kept until it is made again`;
    case "identity_mismatch":
      return `${event}: the transaction is stored with another ${rejection.field}`;
    case "invalid_transition":
      return `${event}: a ${rejection.from} transaction cannot become ${rejection.to}`;
    case "past_retention":
      return `${event}: it was authorized so long ago that its transaction may not be kept any more`;
  }
}

function writeBatch(id: string, outcome: RequestResult): AnswerOf<"transaction.batch/get"> {
  const { status, accepted, rejected, ignored, ignoredCount } = outcome;
  return { id, status, accepted, rejected: [...rejected], ...writeIgnored(ignored, ignoredCount) };
}

export function writeTransaction(transaction: RewardedTransaction): AnswerOf<"transaction/get"> {
  return {
    id: encodeId("tx", transaction.id),
    external_id: transaction.externalId,
    member_id: transaction.memberId === null ? null : encodeId("m", transaction.memberId),
    state: transaction.state,
    network: transaction.network,
    merchant_id: transaction.merchantId,
    ...(transaction.statementDescriptor !== null && {
      statement_descriptor: transaction.statementDescriptor,
    }),
    ...(transaction.amount !== null && { amount: transaction.amount }),
    ...(transaction.currency !== null && { currency: transaction.currency }),
    authed_at: transaction.authedAt.toISOString(),
    ...(transaction.clearedAt !== null && { cleared_at: transaction.clearedAt.toISOString() }),
    ...(transaction.revertedAt !== null && { reverted_at: transaction.revertedAt.toISOString() }),
    identifiers: [...transaction.identifiers],
    rewards: transaction.rewards.map(writeReward),
  };
}
