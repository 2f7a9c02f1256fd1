import type { Test } from "tap";
import type { TransactionEvent } from "#contract";
import { encodeId } from "#domain";
import { connectStream, ensureTopology, ReplayWindow } from "#nats";
import { closeStore, connectStore } from "#postgres";
import { createLog } from "#runtime";
import { isolation, testMember, testServers } from "#test-support";
import { Positions } from "./positions/positions.ts";

/** A database and streams of a test's own, with one member, for ingest in the test's process. */
export async function openIngest(t: Test, partitions: number) {
  const servers = await testServers();
  const log = createLog({ service: "test", level: "fatal" });
  const store = connectStore({ url: await servers.databaseUrl(), max: 4, applicationName: "test" });
  t.teardown(() => closeStore(store));
  const stream = await connectStream({ url: servers.natsUrl, name: "test", prefix: isolation(), log });
  t.teardown(() => stream.close());
  await ensureTopology(stream, { partitions, maxBytes: 2 ** 21, linkMaxBytes: 2 ** 21 });
  const { organisationId, memberId } = await testMember(store);
  const lost: number[] = [];
  /** Those of a new process, which knows nothing of others. */
  const newPositions = () =>
    new Positions({
      window: new ReplayWindow(stream, 0),
      store,
      stream,
      log,
      observer: { gap: () => {} },
      onLost: (partitions) => void lost.push(...partitions),
    });
  return { store, stream, log, organisationId, memberId, lost, newPositions };
}

/** @param memberId UUID */
export function makeAuthorization(
  memberId: string,
  ref: string,
  changes: Partial<TransactionEvent> = {},
): TransactionEvent {
  return {
    member_id: encodeId("m", memberId),
    external_id: ref,
    auth_code: "A1",
    network: "visa",
    bin: "411111",
    merchant_id: "M1",
    authed_at: "2026-05-01T10:00:00Z",
    ...changes,
  };
}
