import { PublisherClient } from "#test-support";

/** By how much a process may misjudge the database's time here: half of a round trip, on a busy machine. */
export const CLOCK_ERROR_MS = 1_000;
const FIRST_LIFE_MS = 5_000;
const LONGEST_LIFE_MS = 120_000;

/** A caller with a token that was accepted and soon ends. */
interface Guest {
  readonly guest: PublisherClient;
  /** The end, by this machine's clock. */
  readonly expiresAt: number;
}

/** Makes one. If the machine is too slow to make and try a token before it ends, the next one lives longer. */
export async function shortLivedToken(url: string | undefined, owner: PublisherClient): Promise<Guest> {
  for (let lifeMs = FIRST_LIFE_MS; lifeMs <= LONGEST_LIFE_MS; lifeMs *= 2) {
    const expiresAt = Date.now() + lifeMs;
    const expires_at = new Date(expiresAt).toISOString();
    const made = await owner.post("api-token/create", { access: "read", description: "short", expires_at });
    const guest = new PublisherClient(url, made.body.token);
    const isAccepted = made.status === 200 && (await isTaken(guest));
    if (isAccepted) return { guest, expiresAt };
    if (Date.now() < expiresAt - CLOCK_ERROR_MS) {
      throw new Error(`it ends at ${expires_at} and is refused; its making was answered ${made.status}`);
    }
  }
  throw new Error(`no token could be made and tried in ${LONGEST_LIFE_MS} ms`);
}

/** Whether the edge accepts the token. */
export async function isTaken(guest: PublisherClient): Promise<boolean> {
  const { status } = await guest.post("loyalty-program/list", {});
  if (status !== 200 && status !== 401) throw new Error(`loyalty-program/list: ${status}`);
  return status === 200;
}
