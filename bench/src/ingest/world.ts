import { hash } from "node:crypto";
import { createTokenSecret, encodeId, hashTokenSecret } from "#domain";
import type { Store } from "#postgres";
import { createOrganisation, createToken, migratePublisher } from "#publisher-db";
import { createMemberbase } from "../../../services/edge/src/members/memberbases.ts";
import { seededUuid } from "../kit/random.ts";
import { usingStore } from "../kit/using-store.ts";

export const MEMBERS = 100_000;
/** 2026-01-01: ids and purchases of the workload begin here. */
export const EPOCH_MS = 1_767_225_600_000;

/** The sender and the members. The same in every database, so that the bytes sent are the same, too. */
export interface World {
  readonly organisationId: string;
  readonly token: string;
  /** UUIDs, in the form of the database. */
  readonly memberIds: readonly string[];
  /** TypeIDs, in the form of events. */
  readonly memberTypeIds: readonly string[];
}

export function createWorld(seed: number, members = MEMBERS): World {
  const memberIds = Array.from({ length: members }, (_, i) =>
    seededUuid(EPOCH_MS - members + i, seed + 11, i),
  );
  return {
    organisationId: seededUuid(EPOCH_MS, seed + 12, 1),
    token: createTokenSecret(hash("sha256", `stampede bench ${seed}`, "buffer")),
    memberIds,
    memberTypeIds: memberIds.map((id) => encodeId("m", id)),
  };
}

/** The memberbase of all members. */
export function memberbaseIdOf(seed: number): string {
  return seededUuid(EPOCH_MS, seed + 13, 2);
}

/** Schema, organisation, token and members: the initial state of every subject. */
export async function fillDatabase(url: string, seed: number, world: World): Promise<void> {
  await migratePublisher(url);
  await usingStore(url, async (store) => {
    const { organisationId, token } = world;
    const memberbaseId = memberbaseIdOf(seed);
    await createOrganisation(store, { id: organisationId, name: "bench" });
    await createToken(store, {
      id: seededUuid(EPOCH_MS, seed + 14, 3),
      organisationId,
      access: "write",
      description: "bench",
      secretHash: hashTokenSecret(token),
    });
    await createMemberbase(store, { id: memberbaseId, organisationId, name: "bench" });
    await insertMembers(store, world, memberbaseId);
    await store.script("vacuum analyze");
  });
}

async function insertMembers(store: Store, world: World, memberbaseId: string): Promise<void> {
  await store`
    insert into members (id, organisation_id, memberbase_id, ref)
    select m.id, ${world.organisationId}, ${memberbaseId}, 'member-' || m.at
    from unnest(${world.memberIds as string[]}::uuid[]) with ordinality as m (id, at)
  `;
}
