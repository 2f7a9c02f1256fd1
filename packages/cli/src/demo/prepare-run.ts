import type { StampedeClient } from "#client";
import { hashTokenSecret, type Transaction } from "#domain";
import type { Store } from "#postgres";
import { findTokenByHash } from "#publisher-db";
import { CommandError } from "../command-error.ts";
import { enrolMembers } from "./enrol-members.ts";
import { modelEvents, type Outcome } from "./model.ts";
import { readRun, toTransaction } from "./read-back.ts";
import { type ResolvedEntry, resolveSample } from "./resolve-sample.ts";
import type { ModelledRun } from "./rewards/plan-rewards.ts";
import { countEvents, isMalformed, readSample, type SampleEvent } from "./sample.ts";

/** A run that is ready to be sent, and what has to come of it. */
export interface PreparedRun {
  readonly tag: string;
  /** All `external_id`s of the run begin so, and no others. */
  readonly prefix: string;
  readonly organisationId: string;
  readonly members: number;
  readonly events: number;
  /** The events of the sample, as it is committed. */
  readonly sample: readonly SampleEvent[];
  readonly entries: readonly ResolvedEntry[];
  /** What becomes of each entry of kind `event`, in their order. */
  readonly outcomes: readonly Outcome[];
  /** The same run sent for the first time, which says where it has to end. */
  readonly modelled: ModelledRun;
  readonly isSentAgain: boolean;
  /** Transactions of the run that are stored already. */
  readonly storedBefore: number;
  readonly expectedCreated: number;
  /** What is stored in the end, by `external_id`. */
  readonly expected: ReadonlyMap<string, Transaction>;
  /** Of events in requests that must be refused as a whole. */
  readonly malformedIds: readonly string[];
}

/**
 * Enrols the members, and works out what the sample has to come to.
 * @param earlier the tag of a run that is to be sent again
 */
export async function prepareRun(
  client: StampedeClient,
  store: Store,
  token: string,
  earlier: string | undefined,
): Promise<PreparedRun> {
  const organisationId = await findOrganisation(store, token);
  // Eight characters of the time in base 36: they sort as the times do.
  const tag = earlier ?? Date.now().toString(36);
  const prefix = `demo-${tag}-`;
  const before = await readRun(store, organisationId, prefix);
  if (earlier !== undefined && before.size === 0) {
    throw new CommandError(`no transaction of a run "${tag}" is stored: leave out --run to make a new one`);
  }
  const sample = readSample();
  const isSentAgain = earlier !== undefined;
  const memberIds = await enrolMembers(client, tag, sample.refs, isSentAgain);
  const entries = resolveSample(sample, { externalIdPrefix: prefix, authCodeSuffix: `-${tag}`, memberIds });
  const events = entries.flatMap((entry) => (entry.kind === "event" ? [entry.event] : []));
  const malformed = entries.flatMap((entry) => (entry.kind === "malformed" ? entry.events : []));
  const known = new Set(memberIds.values());
  const stored = new Map([...before].map(([id, record]) => [id, toTransaction(record)]));
  const { outcomes } = modelEvents(events, known, stored);
  // From nothing, whatever is stored: a run that was cut off, or is sent again, has to end where a whole one does.
  const whole = modelEvents(events, known);
  return {
    tag,
    prefix,
    organisationId,
    members: memberIds.size,
    events: countEvents(sample.entries),
    sample: sample.entries.flatMap((entry) => (isMalformed(entry) ? [] : [entry])),
    entries,
    outcomes,
    modelled: { tag, memberIds, events, ...whole },
    isSentAgain,
    storedBefore: before.size,
    expectedCreated: outcomes.filter((outcome) => outcome === "created").length,
    expected: whole.transactions,
    malformedIds: malformed.map((event) => event.external_id),
  };
}

/** What is read back is what the token's organisation has. */
async function findOrganisation(store: Store, token: string): Promise<string> {
  const grant = await findTokenByHash(store, hashTokenSecret(token));
  if (grant !== undefined && grant.revokedAt === null) return grant.organisationId;
  throw new CommandError(
    "the token is not one of this database, or revoked: `stampede token create` makes another",
  );
}
