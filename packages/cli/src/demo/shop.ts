import { PlatformClient, StampedeClient } from "#client";
import { INTERACTIVE } from "../publisher-access.ts";
import { findByName, makeOwnProgram, makeRetailer } from "../simulate/make-offer.ts";

/** The program of the demo's shop. Amounts are in minor units of euros. */
export const PROGRAM = {
  name: "Corner Coffee: 5 euros for three purchases",
  merchantId: "CORNER-COFFEE",
  threshold: 3,
  reward: 500,
  madeBy: "stampede demo",
};

/** The platform's address, and a token of it. */
export interface PlatformAccess {
  readonly url: string;
  readonly token: string;
}

/** The members and the shop of the demo. */
export interface Cast {
  readonly retailerId: string;
  readonly programId: string;
  /** Ada, whose purchase is the story; enrolled. */
  readonly adaId: string;
  /** Enrolled; their purchases at the shop earn. */
  readonly enrolledIds: readonly string[];
  readonly otherIds: readonly string[];
}

const MEMBERS = 5_000;
const ENROLLED = 300;
/** Enrolments at the same time. */
const LANES = 8;
const CALLS = { connections: LANES, ...INTERACTIVE };

/** Finds or makes the shop and its program, and makes this run's members. */
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

/** `LANES` requests at a time. The first failure is thrown, and no lane begins another request. */
async function enrol(client: StampedeClient, programId: string, memberIds: readonly string[]): Promise<void> {
  const rest = (function* () {
    yield* memberIds;
  })();
  const lane = async () => {
    // All lanes take from one generator; a lane that throws closes it.
    for (const member_id of rest) {
      await client.call("wallet.stamp-collection/create", { loyalty_program_id: programId, member_id });
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}
