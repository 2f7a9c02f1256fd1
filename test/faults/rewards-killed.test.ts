import { setTimeout as delay } from "node:timers/promises";
import t, { type Test } from "tap";
import type { TransactionEvent } from "#contract";
import type { Outcome } from "#contract/platform";
import { encodeId, SeededRandom } from "#domain";
import { verifyRewards } from "#publisher-db";
import {
  CardAudit,
  type CashbackEvent,
  CLEARED_AT,
  ClipAudit,
  type Fate,
  makeEvent,
  type Pipeline,
  PlatformLink,
  PublisherClient,
  REVERTED_AT,
  type RewardEvent,
  type ServiceProcess,
  startPipeline,
  waitFor,
} from "#test-support";

/**
 * kill -9 of rewards processes at random moments while outcomes, clearings and reversals stream, and an audit of every
 * event and row. `FAULT_KILLS` makes it longer, `FAULT_SEED` repeats its plan (not its timing).
 */
const SEED = Number(process.env.FAULT_SEED ?? Date.now() % 1_000_000);
const KILLS = Number(process.env.FAULT_KILLS ?? 5);

const PROGRAMS = [
  { threshold: 2, amount: 300 },
  { threshold: 3, amount: 301 },
  { threshold: 5, amount: 302 },
];
const MEMBERS = 8;
const PURCHASES_PER_KILL = 250;
const RECOVERY_MS = 60_000;

t.setTimeout(300_000 + KILLS * 20_000);

t.test(`kill -9 of rewards: every stamp and cashback counts once (seed ${SEED})`, async (t) => {
  const random = new SeededRandom(SEED);
  const scene = await open(t, random);
  const { pipeline, link } = scene;
  const processes = [await pipeline.start("rewards"), await pipeline.start("rewards")];
  for (let kill = 0; kill < KILLS; kill++) {
    const streaming = scene.stream(await scene.buy(PURCHASES_PER_KILL));
    await delay(random.between(20, 600));
    const at = random.between(0, 1);
    await (processes[at] as ServiceProcess).kill();
    const { faults } = await verifyRewards(pipeline.store);
    t.strictSame(faults, [], "killed: what is stored agrees with itself at every moment");
    processes[at] = await pipeline.start("rewards");
    await streaming;
  }
  await waitFor(() => link.isAtRest(), { deadlineMs: RECOVERY_MS, message: "not all is handled" });

  for (const service of processes) {
    t.equal(service.child.exitCode ?? service.child.signalCode, null, "no process ended by itself");
  }
  t.strictSame(await scene.statesThatDiffer(), [], "every transaction is as it was made");
  const { problems, events } = await scene.audit();
  t.strictSame(problems.slice(0, 10), []);
  const { lagging, faults } = await verifyRewards(pipeline.store);
  t.strictSame({ lagging, faults }, { lagging: 0, faults: [] });
  t.comment(events);
});

async function open(t: Test, random: SeededRandom): Promise<Scene> {
  const pipeline = await startPipeline({ env: { STAMPEDE_LOG_LEVEL: "warn" } });
  t.teardown(() => pipeline.stop());
  const link = await PlatformLink.open(pipeline);
  t.teardown(() => link.close());
  const scene = new Scene(pipeline, link, random);
  await scene.furnish();
  return scene;
}

interface Member {
  readonly id: string;
  readonly cards: readonly string[];
  readonly clip: string;
}

/** What the test has made and said: enough to know what must come of it. */
class Scene {
  readonly pipeline: Pipeline;
  readonly link: PlatformLink;
  readonly #random: SeededRandom;
  readonly #client: PublisherClient;
  readonly #members: Member[] = [];
  readonly #fates = new Map<string, Fate>();
  readonly #cards = new Map<string, { readonly audit: CardAudit; readonly sent: Set<string> }>();
  readonly #clips = new Map<string, { readonly audit: ClipAudit; readonly offered: Map<string, number> }>();
  readonly #sent: Outcome[] = [];

  constructor(pipeline: Pipeline, link: PlatformLink, random: SeededRandom) {
    this.pipeline = pipeline;
    this.link = link;
    this.#random = random;
    this.#client = new PublisherClient(pipeline.edge.url, pipeline.publisher.token);
  }

  /** Members, each with a card of every program and a clip. Its first rewards process applies the configuration. */
  async furnish(): Promise<void> {
    const rewards = await this.pipeline.start("rewards");
    const programs = await Promise.all(
      PROGRAMS.map(({ threshold, amount }) => {
        const reward_config = { type: "fixed-reward", amount } as const;
        return this.link.configure({ qualifying_threshold: threshold, reward_config, currency: "EUR" });
      }),
    );
    const deal = await this.link.offer();
    await waitFor(() => this.link.isAtRest(), { message: "the programs are not there" });
    await rewards.stop();
    const ids = await this.#client.enrol(...Array.from({ length: MEMBERS }, (_, i) => `member ${i}`));
    for (const id of ids) {
      const cards: string[] = [];
      for (const [i, program] of programs.entries()) {
        const card = await this.#post("wallet.stamp-collection/create", {
          loyalty_program_id: program,
          member_id: id,
        });
        cards.push(card.id);
        const audit = new CardAudit(PROGRAMS[i] as (typeof PROGRAMS)[0]);
        this.#cards.set(card.id, { audit, sent: new Set() });
      }
      const clip = await this.#post("wallet.clip/save", { deal_id: deal, member_id: id });
      this.#clips.set(clip.id, { audit: new ClipAudit(), offered: new Map() });
      this.#members.push({ id, cards, clip: clip.id });
    }
  }

  /** New transactions, most of them authorized, half of them the first member's. */
  async buy(count: number): Promise<TransactionEvent[]> {
    const random = this.#random;
    const events = Array.from({ length: count }, () => {
      const member = this.#members[random.chance(0.5) ? 0 : random.between(1, MEMBERS - 1)];
      const event = makeEvent(member?.id as string, { amount: 450, currency: "EUR" });
      const fate = random.chance(0.85) ? "authorized" : random.pick(["cleared", "reverted"] as const);
      this.#fates.set(event.external_id, fate);
      return { ...event, ...datesOf(fate) };
    });
    await this.#client.apply(events);
    return events;
  }

  /** Sends what follows from the transactions, in any order and some of it twice. */
  async stream(events: readonly TransactionEvent[]): Promise<void> {
    const random = this.#random;
    const ids = await this.#idsOf(events.map((event) => event.external_id));
    const outcomes = random.shuffle(
      events.flatMap((event) => this.#outcomesOf(event, ids.get(event.external_id) as string)),
    );
    this.#sent.push(...outcomes);
    const again = Array.from({ length: outcomes.length }, () => random.pick(this.#sent));
    const settling = random.shuffle(
      events.filter((event) => this.#fates.get(event.external_id) === "authorized"),
    );
    const changes = settling.slice(0, Math.floor(settling.length * 0.75)).map((event) => {
      const fate = random.pick(["cleared", "reverted"] as const);
      this.#fates.set(event.external_id, fate);
      return { ...event, ...datesOf(fate) };
    });
    await Promise.all([
      this.#inPacks(outcomes, (pack) => this.link.send(...pack)),
      this.#inPacks(again, (pack) => this.link.send(...pack)),
      this.#inPacks(changes, (pack) => this.#client.apply(pack)),
    ]);
  }

  async statesThatDiffer(): Promise<string[]> {
    const rows = await this.pipeline.store<{ ref: string; state: Fate }[]>`
      select external_id as ref, state from transactions`;
    return rows.filter(({ ref, state }) => this.#fates.get(ref) !== state).map(({ ref }) => ref);
  }

  /** Follows the events of each card and clip in the order of the table, then compares the rows. */
  async audit(): Promise<{ problems: string[]; events: Record<string, number> }> {
    const rows = await this.pipeline.store<{ body: string }[]>`select body from events order by sequence`;
    const counts: Record<string, number> = {};
    for (const { body } of rows) {
      const event = JSON.parse(body) as RewardEvent;
      counts[event.type] = (counts[event.type] ?? 0) + 1;
      this.#follow(event);
    }
    const problems: string[] = [];
    for (const [id, { audit, sent }] of this.#cards) {
      audit.finish(sent, this.#fates);
      problems.push(...audit.problems.map((problem) => `${id}: ${problem}`));
    }
    for (const [id, { audit, offered }] of this.#clips) {
      audit.finish(offered, this.#fates);
      problems.push(...audit.problems.map((problem) => `${id}: ${problem}`));
    }
    const eventIds = new Set(rows.map(({ body }) => (JSON.parse(body) as RewardEvent).event_id));
    if (eventIds.size !== rows.length) problems.push("an event is there twice");
    return { problems: [...problems, ...(await this.#rowsThatDiffer())], events: counts };
  }

  #follow(event: RewardEvent): void {
    const about = "source" in event ? event.source : event;
    if ("clip_id" in about) {
      const clip = this.#clips.get(about.clip_id);
      clip?.audit.take(event as CashbackEvent, clip.offered, this.#fates);
    } else this.#cards.get(about.stamp_collection_id)?.audit.take(event, this.#fates);
  }

  async #rowsThatDiffer(): Promise<string[]> {
    const { store } = this.pipeline;
    const stored = new Map<string, string[]>();
    const add = (id: string, line: string) => stored.set(id, [...(stored.get(id) ?? []), line]);
    const collections = await store<{ id: string; counter: number }[]>`
      select id, unredeemed_purchases as counter from stamp_collections`;
    for (const { id, counter } of collections) add(encodeId("sc", id), `counter ${counter}`);
    const stamps = await store<{ card: string; ref: string; voided: boolean; redemption: string | null }[]>`
      select stamp_collection_id as card, transaction_ref as ref, voided_at is not null as voided,
             redemption_id as redemption
      from qualifying_purchases`;
    for (const { card, ref, voided, redemption } of stamps) {
      const place = voided ? "void" : redemption === null ? "free" : encodeId("red", redemption);
      add(encodeId("sc", card), `${ref} ${place}`);
    }
    const cashbacks = await store<
      { card: string | null; clip: string; redemption: string; ref: string; amount: number; state: string }[]
    >`
      select stamp_collection_id as card, clip_id as clip, redemption_id as redemption, transaction_ref as ref, amount,
             state
      from cashbacks`;
    for (const { card, clip, redemption, ref, amount, state } of cashbacks) {
      if (card === null) add(encodeId("clip", clip), `${ref} ${amount} ${state}`);
      else add(encodeId("sc", card), `${encodeId("red", redemption)} ${ref} ${amount} ${state}`);
    }
    return [...this.#cards, ...this.#clips].flatMap(([id, { audit }]) => {
      const rows = (stored.get(id) ?? []).sort().join("\n");
      const expected = audit.show().sort().join("\n");
      return rows === expected ? [] : [`${id} is stored as\n${rows}\nnot as\n${expected}`];
    });
  }

  /** A stamp in some of the member's cards, and seldom one for the clip. */
  #outcomesOf(event: TransactionEvent, transaction_id: string): Outcome[] {
    const random = this.#random;
    const ref = event.external_id;
    const member = this.#members.find(({ id }) => id === event.member_id) as Member;
    const outcomes: Outcome[] = [];
    for (const card of member.cards) {
      if (!random.chance(0.6)) continue;
      this.#cards.get(card)?.sent.add(ref);
      outcomes.push({
        outcome_id: `${ref} ${card}`,
        transaction_id,
        type: "qualifying_purchase",
        stamp_collection_id: card,
      });
    }
    if (random.chance(0.1)) {
      const amount = random.between(1, 1_000);
      this.#clips.get(member.clip)?.offered.set(ref, amount);
      const outcome_id = `${ref} ${member.clip}`;
      outcomes.push({
        outcome_id,
        transaction_id,
        type: "deal",
        clip_id: member.clip,
        amount,
        currency: "EUR",
      });
    }
    return outcomes;
  }

  /** In packs of 1 to 20, with pauses between them. */
  async #inPacks<T>(all: readonly T[], send: (pack: readonly T[]) => Promise<void>): Promise<void> {
    for (let at = 0; at < all.length; ) {
      const size = this.#random.between(1, 20);
      await send(all.slice(at, at + size));
      at += size;
      await delay(this.#random.between(0, 30));
    }
  }

  async #idsOf(refs: readonly string[]): Promise<Map<string, string>> {
    const rows = await this.pipeline.store<{ ref: string; id: string }[]>`
      select external_id as ref, id from transactions where external_id = any(${refs})`;
    return new Map(rows.map(({ ref, id }) => [ref, encodeId("tx", id)]));
  }

  // biome-ignore lint/suspicious/noExplicitAny: answers of any route
  async #post(route: string, body: object): Promise<any> {
    const answer = await this.#client.post(route, body);
    if (answer.status !== 200) throw new Error(`${route}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  }
}

function datesOf(fate: Fate): Partial<TransactionEvent> {
  if (fate === "cleared") return { cleared_at: CLEARED_AT };
  return fate === "reverted" ? { reverted_at: REVERTED_AT } : {};
}
