/** Contract, section 5: the largest numbers of events, members and payments in one request. */
export const BATCH = 5000;

let last = 0;

/** A well-formed event with a new external_id. */
export function makeEvent(member: string, changes: object = {}): object {
  last++;
  return {
    member_id: member,
    external_id: `hostile-${process.pid}-${Date.now()}-${last}`,
    auth_code: "A1B2C3",
    network: "visa",
    bin: "411111",
    merchant_id: "MID-1",
    authed_at: "2026-03-01T10:00:00Z",
    ...changes,
  };
}

/** The body of a request with this many events. */
export function makeBatch(member: string, count = BATCH): object {
  return { events: Array.from({ length: count }, () => makeEvent(member)) };
}
