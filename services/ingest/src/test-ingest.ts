import type { Test } from "tap";
import type { TransactionEvent } from "#contract";
import { encodeId } from "#domain";
import { connectStream, ensureTopology, ReplayWindow } from "#nats";
import { closeStore, connectStore } from "#postgres";
import { createLog } from "#runtime";
import { isolation, testMember, testServers } from "#test-support";
import { Positions } from "./positions/positions.ts";

/**
 * A database and streams of a test's own, with one member, for ingest in the test's process. `lines` has the
 * errors of its log; `lost` and `gaps` have what its positions report.
 */
export async function openIngest(t: Test, partitions: number) {
  const servers = await testServers();
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  const log = createLog({ service: "test", level: "error", destination });
  const store = connectStore({ url: await servers.databaseUrl(), max: 4, applicationName: "test" });
  t.teardown(() => closeStore(store));
  const stream = await connectStream({ url: servers.natsUrl, name: "test", prefix: isolation(), log });
  t.teardown(() => stream.close());
  await ensureTopology(stream, topologyOf(partitions));
  const { organisationId, memberId } = await testMember(store);
  const lost: number[] = [];
  const gaps: [string, number][] = [];
  /** Those of a new process, which knows nothing of others. */
  const newPositions = () =>
    new Positions({
      window: new ReplayWindow(stream, 0),
      store,
      stream,
      log,
      observer: { gap: (reason, messages) => void gaps.push([reason, messages]) },
      onLost: (partitions) => void lost.push(...partitions),
    });
  return { store, stream, log, lines, organisationId, memberId, lost, gaps, newPositions };
}

/** Small streams. */
export const topologyOf = (partitions: number) => ({
  partitions,
  maxBytes: 2 ** 21,
  linkMaxBytes: 2 ** 21,
});

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
