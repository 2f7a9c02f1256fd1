import fc from "fast-check";
import t from "tap";
import type { TransactionEvent } from "#contract";
import { OUTCOME_LETTERS } from "#contract/ingest";
import {
  applyEvent,
  type TransactionEvent as DomainEvent,
  type Transaction,
  transactionIdentifiers,
} from "#domain";
import {
  makeEvent,
  type Pipeline,
  PublisherClient,
  readMetric,
  type ServiceProcess,
  startPipeline,
  waitFor,
} from "#test-support";

/**
 * Random batches, resends and transitions of few transactions, sent one after the other while ingest processes join,
 * leave and are killed; the table must equal the pure model. `FC_SEED` repeats a run, `ROUNDS` makes it longer.
 */
const SEED = Number(process.env.FC_SEED ?? Date.now() % 1_000_000);
const ROUNDS = Number(process.env.ROUNDS ?? 40);

interface Draft {
  readonly key: number;
  readonly state: "authorized" | "cleared" | "reverted";
  readonly amount: number | undefined;
  readonly card: number;
}

const drafts = fc.record({
  key: fc.integer({ min: 0, max: 30 }),
  state: fc.constantFrom<Draft["state"][]>("authorized", "authorized", "cleared", "reverted"),
  amount: fc.constantFrom(undefined, 100, 200),
  card: fc.constantFrom(0, 0, 0, 0, 1),
});

const DATES = {
  authorized: {},
  cleared: { cleared_at: "2026-03-02T10:00:00Z" },
  reverted: { reverted_at: "2026-03-03T10:00:00Z" },
};

t.test(`order holds while partitions change hands (seed ${SEED})`, async (t) => {
  const pipeline = await startPipeline({ env: { STAMPEDE_PARTITIONS: "4" } });
  t.teardown(() => pipeline.stop());
  const client = new PublisherClient(pipeline.edge.url, pipeline.publisher.token);
  const [member] = (await client.enrol("shared")) as [string];
  const second = await pipeline.start("ingest");
  await waitFor(async () => (await owned(pipeline.ingest)) === 2 && (await owned(second)) === 2, {
    message: "two processes do not share the partitions",
  });

  const model = new Map<string, Transaction>();
  const allRejected: string[] = [];
  const batches = fc.sample(fc.array(drafts, { minLength: 1, maxLength: 20 }), {
    seed: SEED,
    numRuns: ROUNDS,
  });
  let processes = [pipeline.ingest, second];
  for (const [round, batch] of batches.entries()) {
    if (round % 10 === 4) processes = await change(pipeline, processes, round);
    const events = batch.map((draft) => toEvent(member, draft));
    const letters = applyToModel(model, events);
    allRejected.push(...events.flatMap(({ external_id }, at) => (letters[at] === "r" ? external_id : [])));
    const answer = await client.ingest(events, { prefer: "return=representation" });
    if (answer.status === 202) continue; // a process died with it: its successor will process it
    const rejected = [...letters].filter((letter) => letter === OUTCOME_LETTERS.rejected).length;
    t.equal(answer.status, rejected === 0 ? 200 : 409, `round ${round}`);
    const told = rejected === 0 ? answer.body : answer.body.error.data;
    t.equal(told.accepted, events.length - rejected, `round ${round}`);
    t.equal(told.outcomes, letters, `round ${round}: whichever process reports it, and however often`);
  }
  await waitFor(async () => JSON.stringify(await readBack(pipeline)) === JSON.stringify(expected(model)), {
    message: "the table is not what the model says",
  });
  t.strictSame(await readBack(pipeline), expected(model));
  // Each rejection is kept once, whether its request was answered in time or not.
  const kept = await pipeline.store<{ key: string }[]>`
    select external_id as key from transaction_rejections where rejected is null`;
  t.strictSame(kept.map(({ key }) => key).sort(), allRejected.sort());
});

/** One process leaves (by a kill or an order to stop) and another one comes. */
async function change(
  pipeline: Pipeline,
  processes: ServiceProcess[],
  round: number,
): Promise<ServiceProcess[]> {
  const [leaving, ...staying] = processes as [ServiceProcess, ...ServiceProcess[]];
  if (round % 20 === 4) await leaving.kill();
  else await leaving.stop();
  return [...staying, await pipeline.start("ingest")];
}

const owned = (service: ServiceProcess) => readMetric(service, "stampede_partitions_owned");

function toEvent(member: string, draft: Draft): TransactionEvent {
  return makeEvent(member, {
    external_id: `shared-${draft.key}`,
    auth_code: `CARD${draft.card}`,
    ...(draft.amount !== undefined && { amount: draft.amount }),
    ...DATES[draft.state],
  });
}

/** The model's outcome of each event, a letter each. */
function applyToModel(model: Map<string, Transaction>, events: readonly TransactionEvent[]): string {
  const letters = events.map((event) => {
    const decision = applyEvent(model.get(event.external_id), toDomain(event));
    if (decision.outcome !== "rejected") model.set(event.external_id, decision.transaction);
    return OUTCOME_LETTERS[decision.outcome];
  });
  return letters.join("");
}

function toDomain(event: TransactionEvent): DomainEvent {
  const { auth_code, network, bin, merchant_id } = event;
  const identifiers = transactionIdentifiers({ authCode: auth_code, network, bin, merchantId: merchant_id });
  return {
    memberId: event.member_id,
    network,
    merchantId: merchant_id,
    statementDescriptor: null,
    amount: event.amount ?? null,
    currency: null,
    authedAt: event.authed_at,
    clearedAt: event.cleared_at ?? null,
    revertedAt: event.reverted_at ?? null,
    identifier6: identifiers.six,
    identifier8: identifiers.eight,
  };
}

interface Line {
  readonly key: string;
  readonly state: string;
  readonly amount: number | null;
  readonly identifier: string;
}

function expected(model: ReadonlyMap<string, Transaction>): Line[] {
  return [...model]
    .map(([key, { state, amount, identifier6 }]) => ({ key, state, amount, identifier: identifier6 }))
    .sort((a, b) => (a.key < b.key ? -1 : 1));
}

async function readBack({ store }: Pipeline): Promise<Line[]> {
  return store<Line[]>`
    select external_id as key, state, amount, encode(identifier_6, 'hex') as identifier
    from transactions order by external_id`;
}
