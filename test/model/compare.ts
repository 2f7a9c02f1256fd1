/** The results of a run, and their differences from the model. */
import { type PublisherClient, waitFor } from "#test-support";
import type { ClipFact, Fact } from "./facts.ts";
import { withFacts } from "./facts-of.ts";
import type { Story } from "./services.ts";
import { type Clipping, type Told, type Wallet, wallet } from "./wallet.ts";
import type { Purchase } from "./wallet-purchases.ts";

/** A webhook event of a purchase, as `event/list` has it. */
export interface Event {
  readonly type: string;
  readonly transaction_ref?: string;
  readonly stamp_collection_id?: string;
  readonly cashback_id?: string;
  readonly amount?: number;
  readonly currency?: string;
  readonly source?: {
    readonly type: string;
    readonly clip_id?: string;
    readonly stamp_collection_id?: string;
    readonly redemption_id?: string;
  };
}

/** A cashback, put together from its events. */
interface Observed {
  readonly ref: string;
  readonly source: NonNullable<Event["source"]>;
  readonly types: string[];
  readonly amounts: number[];
  currency: string;
}

/** The events after a cursor, at least this many: the list ends at a horizon, which moves a little later. */
export async function readEvents(publisher: PublisherClient, after: string | undefined, count: number) {
  const events: Event[] = [];
  let cursor = after;
  const readMore = async () => {
    const body = { limit: 1000, ...(cursor !== undefined && { after: cursor }) };
    const page = await publisher.call("event/list", body);
    events.push(...page.data);
    cursor = page.page.cursor as string;
    return page.data.length === 0 && events.length >= count;
  };
  await waitFor(readMore, { message: `event/list does not show ${count} events` });
  return { events, cursor };
}

/** The differences, each with its kind first and its facts behind it; none if all results are the model's. */
export async function differences(
  story: Story,
  all: readonly Event[],
  publisher: PublisherClient,
): Promise<string[]> {
  const events = all.filter(({ transaction_ref }) => transaction_ref?.startsWith(`${story.history.name}-`));
  const told = events.flatMap(({ type, transaction_ref: ref, stamp_collection_id: card }): Told[] => {
    if (ref === undefined || card === undefined) return [];
    if (type === "qualifying_purchase.created") return [{ kind: "stamp", ref, card }];
    return type === "qualifying_purchase.voided" ? [{ kind: "void", ref, card }] : [];
  });
  const model = wallet(story.facts, told);
  const observed = cashbacksOf(events);
  const found = [
    ...fates(story, model),
    ...stamps(model, told),
    ...redemptions(model, observed),
    ...clips(story.facts, model, observed),
    ...observed.flatMap((one) => lifeOf(one)),
    ...(await lists(story, model, observed, publisher)),
  ];
  return found.map((difference) => withFacts(difference, story.facts, story.history.name));
}

function cashbacksOf(events: readonly Event[]): Observed[] {
  const found = new Map<string, Observed>();
  for (const { type, cashback_id: id, transaction_ref: ref, amount, currency, source } of events) {
    if (id === undefined || ref === undefined || source === undefined) continue;
    const one = found.get(id) ?? { ref, source, types: [], amounts: [], currency: "" };
    one.types.push(type.replace("cashback.", ""));
    one.amounts.push(amount as number);
    one.currency = currency as string;
    found.set(id, one);
  }
  return [...found.values()];
}

/** Contract, section 9: created, then at most one end. */
function lifeOf({ types, ref }: Observed): string[] {
  const life = types.join(", ");
  const isRight = ["created", "created, cleared", "created, reverted"].includes(life);
  return isRight ? [] : [`told: the cashback of ${ref} was ${life}`];
}

function fates({ answers }: Story, { fates }: Wallet): string[] {
  return [...fates].flatMap(([number, fate]) =>
    !answers.has(number) || answers.get(number) === fate
      ? []
      : [`answer: fact ${number} was ${answers.get(number)}, model ${fate}`],
  );
}

/**
 * If a purchase counted before it was reverted, timing decides whether it had a stamp, which is then voided.
 * If it counted only afterwards, it has none.
 */
function stamps({ stampings }: Wallet, told: readonly Told[]): string[] {
  const made = count(told.filter(({ kind }) => kind === "stamp").map(({ ref, card }) => `${ref} on ${card}`));
  const voided = count(
    told.filter(({ kind }) => kind === "void").map(({ ref, card }) => `${ref} on ${card}`),
  );
  const found: string[] = [];
  const known = new Set<string>();
  for (const { purchase, card, since } of stampings) {
    const name = `${purchase.ref} on ${card.id}`;
    known.add(name);
    const isReverted = purchase.state === "reverted";
    if (!made.has(name) && !isReverted) found.push(`stamp missing: ${name}`);
    if (made.has(name) && isPast(purchase, since)) found.push(`stamp after the reversal: ${name}`);
    if (made.has(name) && voided.has(name) !== isReverted) found.push(`stamp voided wrongly: ${name}`);
  }
  for (const [name, times] of made) {
    if (!known.has(name)) found.push(`stamp too many: ${name}`);
    if (times > 1) found.push(`stamp told ${times} times: ${name}`);
  }
  return found;
}

/** Whether the purchase was reverted before it counted: then it earned nothing. */
function isPast({ state, settledBy }: Purchase, since: number): boolean {
  return state === "reverted" && (settledBy as number) <= since;
}

function redemptions({ cashbacks }: Wallet, observed: readonly Observed[]): string[] {
  const expected = cashbacks.flatMap(({ purchase, source, state, amount, currency }) =>
    source.kind === "enrolment" ? [`${source.id} by ${purchase.ref}: ${amount} ${currency} ${state}`] : [],
  );
  const seen = observed.flatMap(({ ref, source, types, amounts, currency }) => {
    if (source.type === "clip" || types.includes("reverted")) return [];
    const state = types.includes("cleared") ? "cleared" : "pending";
    return [`${source.stamp_collection_id} by ${ref}: ${amounts.at(-1)} ${currency} ${state}`];
  });
  return unlike("redemption", seen, expected);
}

function unlike(kind: string, seen: readonly string[], expected: readonly string[]): string[] {
  const [left, right] = [count(seen), count(expected)];
  return [...new Set([...seen, ...expected])].flatMap((one) => {
    const [a = 0, b = 0] = [left.get(one), right.get(one)];
    return a === b ? [] : [`${kind} ${a > b ? "too many" : "missing"}: ${one}`];
  });
}

function count(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

/**
 * Timing decides which of two later purchases uses a clip, so there is no single right result. The test
 * checks that every cashback is owed, that none is owed twice, that of earlier purchases the newest was
 * taken, and that no purchase waits for an open clip.
 */
function clips(facts: readonly Fact[], { clippings }: Wallet, observed: readonly Observed[]): string[] {
  const found: string[] = [];
  const used: Clipping[] = [];
  for (const { ref, source, types, amounts, currency } of observed) {
    if (source.type !== "clip") continue;
    const owed = clippings.find(({ clip, purchase }) => clip.id === source.clip_id && purchase.ref === ref);
    const name = `${source.clip_id} by ${ref}: ${amounts[0]} ${currency}`;
    if (owed === undefined) {
      found.push(`clip too many: ${name}`);
      continue;
    }
    if (isPast(owed.purchase, owed.since)) found.push(`clip after the reversal: ${name}`);
    if (owed.amount !== amounts[0] || owed.currency !== currency) {
      found.push(`clip amount: ${name}, model ${owed.amount} ${owed.currency}`);
    }
    const end = owed.purchase.state === "authorized" ? undefined : owed.purchase.state;
    if (types[1] !== end) found.push(`clip state: ${name} is ${types[1]}, model ${end}`);
    if (used.some((one) => one.purchase === owed.purchase && one.clip.deal === owed.clip.deal)) {
      found.push(`clip twice: ${name}`);
    }
    found.push(...notTheNewest(owed, used, clippings, facts));
    used.push(owed);
  }
  return [...found, ...openClips(facts, clippings, used)];
}

function notTheNewest(
  owed: Clipping,
  used: readonly Clipping[],
  clippings: readonly Clipping[],
  facts: readonly Fact[],
) {
  const made = facts.indexOf(owed.clip);
  // OPEN 18: rewards found an earlier clip of the deal redeemed and kept this purchase; the newer one's
  // outcome may still be under way.
  const wasKept = clippings.some(
    ({ clip, purchase }) =>
      purchase === owed.purchase && clip.deal === owed.clip.deal && facts.indexOf(clip) < made,
  );
  if (wasKept) return [];
  const newer = clippings.filter(
    ({ clip, since, purchase }) =>
      clip === owed.clip &&
      since === made &&
      owed.since === made &&
      purchase.authedAt > owed.purchase.authedAt &&
      purchase.state !== "reverted" &&
      !used.some((one) => one.purchase === purchase && one.clip.deal === clip.deal),
  );
  return newer.map(
    ({ purchase }) => `clip not by the newest: ${owed.clip.id} by ${owed.purchase.ref}, not ${purchase.ref}`,
  );
}

function openClips(
  facts: readonly Fact[],
  clippings: readonly Clipping[],
  used: readonly Clipping[],
): string[] {
  const saved = facts.filter((fact): fact is ClipFact => fact.kind === "clip");
  return saved.flatMap((clip, index) => {
    const of = used.filter((one) => one.clip === clip);
    const isSavedAnew = saved
      .slice(index + 1)
      .some(({ deal, member }) => deal === clip.deal && member === clip.member);
    if (of.some(({ purchase }) => purchase.state !== "reverted") || (of.length > 0 && isSavedAnew)) return [];
    const waits = clippings.filter(
      (one) =>
        one.clip === clip &&
        one.purchase.state !== "reverted" &&
        !used.some(({ clip: { deal }, purchase }) => deal === clip.deal && purchase === one.purchase),
    );
    const kind = of.length > 0 ? "clip open again and not used (OPEN 15)" : "clip missing";
    return waits
      .slice(0, 1)
      .map(({ purchase, amount }) => `${kind}: ${clip.id} by ${purchase.ref}: ${amount}`);
  });
}

/** The lists of the remaining members: cards, stamps and cashbacks. */
async function lists(story: Story, model: Wallet, observed: readonly Observed[], publisher: PublisherClient) {
  const found: string[] = [];
  for (const fact of story.facts) {
    if (fact.kind !== "enrolment") continue;
    const { status, body } = await publisher.post("wallet.stamp-collection/get", { id: fact.id });
    const live = model.cards.get(fact.id)?.live.length;
    if (status === 200 && body.unredeemed_purchases !== live) {
      found.push(`counter: ${fact.id} has ${body.unredeemed_purchases}, model ${live}`);
    }
    if (status === 200) found.push(...(await stampList(fact.id, model, publisher)));
  }
  for (const member_id of story.members) {
    found.push(...(await redemptionList(member_id, model, publisher)));
    found.push(...(await clipList(member_id, story.facts, observed, publisher)));
    const { status, body } = await publisher.post("wallet.cashback/list", { member_id });
    if (status !== 200) continue;
    for (const { transaction_ref, state, amount, source } of body.data) {
      const same = observed.find(
        (one) =>
          one.ref === transaction_ref &&
          one.source.clip_id === source.clip_id &&
          one.source.redemption_id === source.redemption_id,
      );
      const [, end = "pending"] = same?.types ?? [];
      if (same === undefined || end !== state || (state !== "reverted" && same.amounts.at(-1) !== amount)) {
        found.push(
          `list: cashback of ${transaction_ref} is ${amount} ${state}, told ${same?.types} ${same?.amounts}`,
        );
      }
    }
  }
  return found;
}

/**
 * A clip is redeemed by its first cashback. If that is reverted, the clip is open again, unless the deal was
 * saved again.
 */
async function clipList(
  member_id: string,
  facts: readonly Fact[],
  observed: readonly Observed[],
  publisher: PublisherClient,
) {
  const { status, body } = await publisher.post("wallet.clip/list", { member_id });
  if (status !== 200) return [];
  const saved = facts.filter((fact): fact is ClipFact => fact.kind === "clip" && fact.member === member_id);
  return (body.data as { id: string; redeemed_at?: string }[]).flatMap(({ id, redeemed_at }) => {
    const place = saved.findIndex((clip) => clip.id === id);
    const isSavedAnew = saved.slice(place + 1).some(({ deal }) => deal === saved[place]?.deal);
    const prizes = observed.filter(({ source }) => source.clip_id === id);
    const isRedeemed = isSavedAnew
      ? prizes.length > 0
      : prizes.some(({ types }) => !types.includes("reverted"));
    return (redeemed_at !== undefined) === isRedeemed ? [] : [`clip list: ${id} redeemed ${redeemed_at}`];
  });
}

/** Standing redemptions with a known cashback: which stamps do they hold? */
async function redemptionList(member: string, { cards, cashbacks }: Wallet, publisher: PublisherClient) {
  const { status, body } = await publisher.post("wallet.redemption/list", { member_id: member });
  if (status !== 200) return [];
  const named = (card: string, refs: string[]) => `${card}: ${refs.join(", ")}`;
  type Listed = {
    stamp_collection_id: string;
    state: string;
    cashback?: object;
    stamps: { transaction_ref: string }[];
  };
  const seen = (body.data as Listed[])
    .filter(({ state, cashback }) => state === "standing" && cashback !== undefined)
    .map((one) =>
      named(
        one.stamp_collection_id,
        one.stamps.map(({ transaction_ref }) => transaction_ref),
      ),
    );
  const expected = [...cards].flatMap(([card, { standing }]) =>
    standing.flatMap(({ stamps }) => {
      const last = stamps.at(-1)?.purchase;
      const isKnown = cashbacks.some(({ purchase, source }) => purchase === last && source.id === card);
      const refs = stamps.map(({ purchase }) => purchase.ref);
      return last?.member === member && isKnown ? [named(card, refs)] : [];
    }),
  );
  return unlike("redemption list", seen, expected);
}

async function stampList(card: string, model: Wallet, publisher: PublisherClient): Promise<string[]> {
  const { status, body } = await publisher.post("qualifying-purchase/list", { stamp_collection_id: card });
  const played = model.cards.get(card);
  if (status !== 200 || played === undefined) return [];
  const seen = body.data.map(
    (one: { transaction_ref: string; state: string }) => `${one.transaction_ref} ${one.state}`,
  );
  const held = played.standing
    .flatMap(({ stamps }) => stamps)
    .filter(({ purchase }) => !played.voided.has(purchase));
  const expected = [
    ...played.live.map(({ purchase }) => `${purchase.ref} live`),
    ...held.map(({ purchase }) => `${purchase.ref} redeemed`),
    ...[...played.voided].map(({ ref }) => `${ref} voided`),
  ];
  return unlike("stamp list", seen, expected);
}
