import { uuidv7 } from "uuidv7";
import { type BatchEvent, toUtcMicroseconds, transactionIdentifiers } from "#domain";
import type { Store } from "#postgres";
import { applyEvents, everyOrd } from "../../../services/ingest/src/batch/apply-events.ts";
import { type EventBatch, keyAt, toEventBatch } from "../../../services/ingest/src/batch/event-batch.ts";
import type { KnownKeys } from "../../../services/ingest/src/batch/known-keys.ts";
import { findHighestKeys } from "../../../services/ingest/src/batch/load-for-events.ts";
import { describeTransaction } from "./event-text.ts";
import { AUTHORIZED, CLEARED, planLane, type WorkloadSpec } from "./workload.ts";
import type { World } from "./world.ts";

const STATE_NAMES = ["", "authorized", "cleared", "reverted"] as const;
const HOUR_MS = 3_600_000;

/**
 * Writes one batch like ingest, and does nothing else: it moves no position and answers no caller.
 * @param keys the keys that the lane knows to be new. Lanes share no key, so each knows its own, like the
 * owner of a partition
 */
export async function writeBatch(store: Store, batch: EventBatch, keys: KnownKeys): Promise<void> {
  await store.begin(async (sql) => {
    const unknown = keys.unknown(batch.organisations);
    if (unknown.length > 0) {
      const { highest, forgottenBefore } = await findHighestKeys(sql, unknown);
      for (const [one, key] of highest) keys.learn(one, key, forgottenBefore);
    }
    await applyEvents(sql, batch, everyOrd(batch), (ord) => {
      const { organisationId, externalId } = keyAt(batch, ord);
      return keys.isNew(organisationId, externalId);
    });
  });
  for (const ord of everyOrd(batch)) {
    const { organisationId, externalId } = keyAt(batch, ord);
    keys.add(organisationId, externalId);
  }
}

/** The requests of a lane in the form of `applyEvents`, so that only the database's work is left. */
export function renderBatches(spec: WorkloadSpec, lane: number, world: World): EventBatch[] {
  const plan = planLane(spec, lane);
  return Array.from({ length: spec.requestsPerLane }, (_, batch) => {
    const events: BatchEvent[] = [];
    for (let ord = 0; ord < spec.size; ord++) {
      const at = batch * spec.size + ord;
      events.push(toEvent(spec, ord, plan.transactions[at] as number, plan.states[at] as number, world));
    }
    return toEventBatch(events);
  });
}

function toEvent(spec: WorkloadSpec, ord: number, number: number, state: number, world: World): BatchEvent {
  const transaction = describeTransaction(spec.seed, spec.run, number, world.memberIds.length);
  const { six, eight } = transactionIdentifiers(transaction);
  const settledAt = toUtcMicroseconds(new Date(transaction.authedAtMs + HOUR_MS).toISOString());
  return {
    ord,
    id: uuidv7(),
    organisationId: world.organisationId,
    memberId: world.memberIds[transaction.member] as string,
    externalId: transaction.externalId,
    state: STATE_NAMES[state] as BatchEvent["state"],
    network: transaction.network,
    merchantId: transaction.merchantId,
    statementDescriptor: transaction.statementDescriptor,
    amount: state === AUTHORIZED ? transaction.amount : transaction.settledAmount,
    currency: transaction.currency,
    authedAt: toUtcMicroseconds(new Date(transaction.authedAtMs).toISOString()),
    clearedAt: state === CLEARED ? settledAt : null,
    revertedAt: state !== AUTHORIZED && state !== CLEARED ? settledAt : null,
    identifier6: six,
    identifier8: eight,
    firstDescriptor: null,
  };
}

/**
 * A new purchase by any member, authorized now.
 * @param more the fields that are to be other than here
 */
export function purchaseOf(
  { organisationId, memberIds }: World,
  ord: number,
  more: Partial<BatchEvent> = {},
): BatchEvent {
  const id = uuidv7();
  return {
    ord,
    id,
    organisationId,
    memberId: memberIds[Number.parseInt(id.slice(-8), 16) % memberIds.length] as string,
    externalId: id,
    state: "authorized",
    network: "visa",
    merchantId: "MID-1",
    statementDescriptor: null,
    amount: 1250,
    currency: "EUR",
    authedAt: new Date().toISOString().replace("Z", "000Z"),
    clearedAt: null,
    revertedAt: null,
    identifier6: "06".repeat(32),
    identifier8: null,
    firstDescriptor: null,
    ...more,
  };
}
