import type { StampedeClient } from "#client";
import type { TransactionEvent } from "#contract";
import { encodeId, hashTokenSecret } from "#domain";
import type { Store } from "#postgres";
import { findTokenByHash } from "#publisher-db";
import { CommandError } from "../command-error.ts";
import { modelEvents } from "./model.ts";
import { inMilliseconds, readRun } from "./read-back.ts";
import { generateSample, isMalformed, type MalformedRequest, type Sample } from "./sample.ts";
import type { SampleEvent } from "./sample-transaction.ts";

/** A run that is ready to be sent, and what has to come of it. */
export type PreparedRun = Awaited<ReturnType<typeof prepareRun>>;

/**
 * Enrols the members, and works out what the sample has to come to.
 * @param earlier the tag of a run that is to be sent again
 * @param size of the sample, in events; of an earlier run the size that it had
 */
export async function prepareRun(
  client: StampedeClient,
  store: Store,
  token: string,
  earlier: string | undefined,
  size?: number,
) {
  const organisationId = await findOrganisation(store, token);
  // Eight characters of the time in base 36: they sort as the times do.
  const tag = earlier ?? Date.now().toString(36);
  const prefix = prefixOf(tag);
  const isSentAgain = earlier !== undefined;
  const before = await readRun(store, organisationId, prefix);
  if (isSentAgain && before.size === 0) {
    throw new CommandError(`no transaction of a run "${tag}" is stored: leave out --run to make a new one`);
  }
  const sample = generateSample(startOf(tag), size);
  const memberIds = await enrolMembers(client, tag, sample.refs, isSentAgain);
  const entries = resolveSample(sample, tag, memberIds);
  const events = eventsOf(entries);
  const known = new Set(memberIds.values());
  // From nothing, whatever is stored: a run that was cut off, or is sent again, has to end where a whole one does.
  const whole = modelEvents(events, known);
  return {
    tag,
    prefix,
    organisationId,
    /** By ref. */
    memberIds,
    sample,
    entries,
    events,
    isSentAgain,
    /** Transactions of the run that are stored already. */
    storedBefore: before.size,
    /** What becomes of the events in this sending, beside what is stored. */
    outcomes: modelEvents(events, known, before).outcomes,
    /** The same run sent for the first time, which says where it has to end. */
    whole,
    /** What is stored in the end, by `external_id`. */
    expected: new Map([...whole.transactions].map(([id, transaction]) => [id, inMilliseconds(transaction)])),
  };
}

/** The token's organisation, for what is read back from its database. */
export async function findOrganisation(store: Store, token: string): Promise<string> {
  const grant = await findTokenByHash(store, hashTokenSecret(token));
  if (grant !== undefined && grant.revokedAt === null) return grant.organisationId;
  throw new CommandError(
    "the token is not one of this database, or revoked: `stampede token create` makes another",
  );
}

/**
 * Sees to it that a run's memberbase has members of these refs; their ids by ref. Every run has members of its own, whose
 * wallets are empty at first.
 * @param isSentAgain it must be there then
 */
async function enrolMembers(
  client: StampedeClient,
  tag: string,
  refs: readonly string[],
  isSentAgain: boolean,
): Promise<ReadonlyMap<string, string>> {
  const name = `demo-${tag}`;
  const { data } = await client.call("member-base/list", { filters: [{ key: "name", eq: name }] });
  if (data[0] === undefined && isSentAgain) {
    throw new CommandError(
      `there is no memberbase "${name}": it was deleted, or an earlier version made the run. Leave out --run to make a new one`,
    );
  }
  const memberbase = data[0] ?? (await client.createMemberbase(name));
  const ids = await client.upsertMembers(
    memberbase.id,
    refs.map((ref) => ({ ref })),
  );
  if (ids.length !== refs.length || new Set(ids).size !== refs.length) {
    throw new CommandError(
      `member/bulk-upsert of ${refs.length} refs gave ${new Set(ids).size} different ids`,
    );
  }
  return new Map(refs.map((ref, i) => [ref, ids[i] ?? ""]));
}

/** Not all events of a malformed request are what their type says: that is the point. */
export type ResolvedEntry =
  | { readonly kind: "event"; readonly event: TransactionEvent }
  | (Omit<MalformedRequest, "events"> & {
      readonly kind: "malformed";
      readonly events: readonly TransactionEvent[];
    });

const DAY_MS = 86_400_000;

/**
 * When a run's first purchase is made: so long before the run that its last message is in the past, and within the 30 days
 * in which a purchase counts for who enrols after it (contract, section 9).
 */
function startOf(tag: string): number {
  const made = Number.parseInt(tag, 36);
  return made - (made % DAY_MS) - 20 * DAY_MS;
}

/** All `external_id`s of a run begin so, and no others: it makes transactions of its own. */
const prefixOf = (tag: string): string => `demo-${tag}-`;

/**
 * The entries of the sample as this run sends them.
 * @param tag sorts as time does, like the ids that follow it, so that key order stays the order of arrival from run to run
 * @param memberIds by ref
 */
export function resolveSample(
  sample: Sample,
  tag: string,
  memberIds: ReadonlyMap<string, string>,
): ResolvedEntry[] {
  const resolve = (event: SampleEvent | MalformedRequest["events"][number]): TransactionEvent => {
    const { ref, external_id, auth_code, ...rest } = event;
    const member = ref === undefined ? {} : { member_id: memberIds.get(ref) ?? NOBODY };
    // Codes are the run's own too. The same card at the same shop with the same code is paid for in every run, and a
    // payment must not meet the purchase of another run.
    const code = auth_code === undefined ? {} : { auth_code: `${auth_code}-${tag}` };
    return { ...member, external_id: prefixOf(tag) + external_id, ...code, ...rest } as TransactionEvent;
  };
  return sample.entries.map((entry) =>
    isMalformed(entry)
      ? { ...entry, kind: "malformed", events: entry.events.map(resolve) }
      : { kind: "event", event: resolve(entry) },
  );
}

export const eventsOf = (entries: readonly ResolvedEntry[]): TransactionEvent[] =>
  entries.flatMap((entry) => (entry.kind === "event" ? [entry.event] : []));

export const malformedOf = (entries: readonly ResolvedEntry[]): TransactionEvent[] =>
  entries.flatMap((entry) => (entry.kind === "malformed" ? entry.events : []));

/** A well-formed id that no member has: ids are made of the time, and this one is from 1970. */
const NOBODY = encodeId("m", "00000000-0000-7000-8000-000000000000");
