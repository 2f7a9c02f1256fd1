import type { StampedeClient } from "#client";
import { hashTokenSecret, type Transaction } from "#domain";
import { findTokenByHash, type Store } from "#store";
import { CommandError } from "../command-error.ts";
import { enrolMembers } from "./enrol-members.ts";
import { modelEvents } from "./model.ts";
import { type Lane, planRequests } from "./plan-requests.ts";
import { readRun, toTransaction } from "./read-back.ts";
import { resolveSample } from "./resolve-sample.ts";
import { countEvents, readSample } from "./sample.ts";

/** Connections, each with one request under way. */
export const LANES = 8;

/** A run that is ready to be sent, and what has to come of it. */
export interface PreparedRun {
  readonly tag: string;
  /** All `external_id`s of the run begin so, and no others. */
  readonly prefix: string;
  readonly organisationId: string;
  readonly members: number;
  readonly events: number;
  readonly lanes: readonly Lane[];
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
  const memberIds = await enrolMembers(client, sample.refs);
  const entries = resolveSample(sample, { externalIdPrefix: prefix, memberIds });
  const events = entries.flatMap((entry) => (entry.kind === "event" ? [entry.event] : []));
  const malformed = entries.flatMap((entry) => (entry.kind === "malformed" ? entry.events : []));
  const known = new Set(memberIds.values());
  const stored = new Map([...before].map(([id, record]) => [id, toTransaction(record)]));
  const { outcomes } = modelEvents(events, known, stored);
  return {
    tag,
    prefix,
    organisationId,
    members: memberIds.size,
    events: countEvents(sample.entries),
    lanes: planRequests(entries, outcomes, LANES),
    storedBefore: before.size,
    expectedCreated: outcomes.filter((outcome) => outcome === "created").length,
    // From nothing, whatever is stored: a run that was cut off, or is sent again, has to end where a whole one does.
    expected: modelEvents(events, known).transactions,
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
