import { PlatformClient, StampedeClient } from "#client";
import { findByName, makeOwnProgram, makeRetailer } from "../simulate/make-offer.ts";

/** The program of the demo's shop. Amounts are in minor units of euros. */
export const PROGRAM = {
  name: "Corner Coffee: 5 euros for three purchases",
  merchantId: "CORNER-COFFEE",
  threshold: 3,
  reward: 500,
  madeBy: "stampede demo",
};

/** Where the platform is, and its own token. */
export interface PlatformAccess {
  readonly url: string;
  readonly token: string;
}

/** Everybody in the demo's world, and the shop. */
export interface Cast {
  readonly retailerId: string;
  readonly programId: string;
  /** Whose purchase is told as a story; enrolled. */
  readonly adaId: string;
  /** Enrolled; their purchases at the shop earn. */
  readonly enrolledIds: readonly string[];
  readonly otherIds: readonly string[];
}

const MEMBERS = 5_000;
const ENROLLED = 300;
/** Enrolments that are made at the same time. */
const LANES = 8;
/** Somebody looks on: a service that is not there is told soon. */
const CALLS = { connections: LANES, retryForMs: 5_000 };

/** Makes the shop and its program, or finds those of an earlier run, and members of this run's own. */
export async function prepareCast(
  client: StampedeClient,
  { url, token }: PlatformAccess,
  tag: string,
): Promise<Cast> {
  const platform = new PlatformClient({ baseUrl: url, token });
  try {
    const [programId, retailerId] = await Promise.all([
      makeOwnProgram(client, platform, PROGRAM),
      findRetailer(platform),
    ]);
    const [adaId = "", ...others] = await makeMembers(client, tag);
    const enrolledIds = others.slice(0, ENROLLED);
    await enrol(client, programId, [adaId, ...enrolledIds]);
    return { retailerId, programId, adaId, enrolledIds, otherIds: others.slice(ENROLLED) };
  } finally {
    await platform.close();
  }
}

export function connectAs(baseUrl: string, token: string): StampedeClient {
  return new StampedeClient({ baseUrl, token, ...CALLS });
}

async function findRetailer(platform: PlatformClient): Promise<string> {
  const known = await findByName(platform.list("retailer/list"), RETAILER);
  return (known ?? (await makeRetailer(platform, PROGRAM.merchantId, RETAILER))).id;
}

const RETAILER = "Corner Coffee";

async function makeMembers(client: StampedeClient, tag: string): Promise<string[]> {
  const { id } = await client.createMemberbase(`demo-${tag}`);
  const refs = Array.from({ length: MEMBERS - 1 }, (_, i) => `m${String(i + 1).padStart(4, "0")}`);
  return client.upsertMembers(
    id,
    ["ada", ...refs].map((ref) => ({ ref })),
  );
}

async function enrol(client: StampedeClient, programId: string, memberIds: readonly string[]): Promise<void> {
  const lanes = Array.from({ length: LANES }, (_, lane) => memberIds.filter((_, i) => i % LANES === lane));
  await inLanes(lanes, async (memberId) => {
    const ids = { loyalty_program_id: programId, member_id: memberId };
    await client.call("wallet.stamp-collection/create", ids);
  });
}

/**
 * Does the work for the items of every lane, one after the other; the lanes work side by side. The first failure is
 * thrown: it aborts what is under way, and no lane begins another item.
 */
async function inLanes<T>(
  lanes: ReadonlyArray<readonly T[]>,
  work: (item: T, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const stop = new AbortController();
  await Promise.all(
    lanes.map(async (lane) => {
      try {
        for (const item of lane) {
          if (stop.signal.aborted) return;
          await work(item, stop.signal);
        }
      } catch (error) {
        stop.abort(error);
      }
    }),
  );
  stop.signal.throwIfAborted();
}
