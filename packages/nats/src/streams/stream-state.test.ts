import type { ClusterInfo, StreamInfo } from "@nats-io/jetstream";
import t from "tap";
import { FLOW } from "#contract";
import type { Stream } from "../connection/connect.ts";
import { readStreamState, stateOfSame } from "./stream-state.ts";

const CREATED = "2026-01-01T00:00:00Z";
const SECOND = 1_000_000_000;

/** A cluster whose nodes answer in this order, each with the last sequence that it knows. */
function clusterOf(...answers: readonly (readonly [cluster: ClusterInfo | undefined, last: number])[]) {
  const left = [...answers];
  const info = async () => {
    const [cluster, last] = left.shift() as (typeof answers)[number];
    const state = {
      messages: 0,
      bytes: 0,
      first_seq: last + 1,
      last_seq: last,
      first_ts: "",
      consumer_count: 0,
    };
    return { created: CREATED, state, config: { max_bytes: 0 }, cluster } as unknown as StreamInfo;
  };
  const streams = { info, purge: async () => ({}), getMessage: async () => null };
  return { prefix: "", manager: { streams } } as unknown as Stream;
}

const peer = (name: string, seconds: number, current = seconds > 0) => ({
  name,
  current,
  offline: false,
  active: seconds * SECOND,
  lag: 0,
});
const LEADER = { leader: "n0", replicas: [peer("n1", 0.4), peer("n2", 20)] };
/** They know what was stored before they were cut off, or have just begun. */
const OTHERS = {
  "that knows no leader": { replicas: [peer("n0", 5), peer("n1", 5), peer("n2", 0)] },
  "that is not the leader": { leader: "n0", replicas: [peer("n0", 0.4), peer("n1", 0.4)] },
  "that was the leader": { leader: "n2", replicas: [peer("n0", 5), peer("n1", 5)] },
  "that has heard from none as a leader": { leader: "n2", replicas: [peer("n0", 0), peer("n1", 0)] },
};

t.test("stream state - a sure answer is the leader's, which hears from most nodes", async (t) => {
  const sure = (cluster?: ClusterInfo) => readStreamState(clusterOf([cluster, 7]), FLOW.outcomes, 0, true);
  t.match(await sure(LEADER), { last: 7 });
  t.match(
    await sure({ leader: "n0", replicas: [peer("n1", 0, true), peer("n2", 20)] }),
    { last: 7 },
    "of a leader that hears from the other node at this very moment, while the third is down",
  );
  t.match(await sure({ leader: "n0" }), { last: 7 }, "of the only copy");
  t.match(await sure(), { last: 7 }, "of a server in no cluster");
  for (const [who, cluster] of Object.entries(OTHERS)) {
    await t.rejects(sure(cluster), { message: /another node than its leader/ }, `of a node ${who}`);
  }
});

t.test("regression - a node that was cut off, and is back, said that a stream was another one", async (t) => {
  const known = { created: CREATED, last: 7 };
  for (const [who, cluster] of Object.entries(OTHERS)) {
    const same = (...after: readonly (readonly [ClusterInfo, number])[]) =>
      stateOfSame(clusterOf([cluster, 4], ...after), FLOW.outcomes, 0, known);
    t.match(await same([LEADER, 7]), { last: 7 }, who);
    t.equal(await same([LEADER, 4]), undefined, "the leader says so");
    await t.rejects(same([cluster, 4]), { message: /another node than its leader/ }, who);
  }
});
