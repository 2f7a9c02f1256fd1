import { writeFileSync } from "node:fs";
import t from "tap";
import { SeededRandom } from "#domain";
import { ClusterScene } from "./cluster-scene.ts";
import { summarise } from "./recovery.ts";

/**
 * Two processes of every service on three NATS nodes whose streams have three copies. The test kills the node
 * that leads a stream; then it cuts off the next leader while it kills one process of every service.
 * `CLUSTER_ROUNDS` makes it longer: a round kills every node, restarts one, cuts one off in each way and
 * kills a process of every service. `FAULT_SEED` repeats its plan (not its timing). It prints how long each
 * fault was felt. `CLUSTER_OUTPUT` names a file for the processes' output.
 */
const SEED = Number(process.env.FAULT_SEED ?? Date.now() % 1_000_000);
const ROUNDS = Number(process.env.CLUSTER_ROUNDS ?? 0);

t.setTimeout(240_000 + ROUNDS * 600_000);

t.test(
  `a node is lost, cut off, a process of each service is killed: nothing is lost (seed ${SEED})`,
  async (t) => {
    const random = new SeededRandom(SEED);
    const scene = await ClusterScene.open(t, SEED);
    const steps: (() => Promise<void>)[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const round = [
        ...[0, 1, 2].map((node) => () => scene.killNode(node)),
        () => scene.restartNode(random.between(0, 2)),
        async () => scene.severNode(await scene.leader(), "refuse", true),
        async () => scene.severNode(await scene.leader(), "freeze", true),
        async () => scene.severNode(await scene.leader(), "refuse", false),
        async () => scene.severNode(await scene.leader(), "freeze", false),
        ...scene.serviceNames.map((name) => () => scene.killService(name)),
      ];
      steps.push(...random.shuffle(round));
    }
    if (ROUNDS === 0) {
      steps.push(async () => scene.killNode(await scene.leader()));
      steps.push(async () => scene.severNodeAndKillServices(await scene.leader()));
    }
    try {
      for (const step of steps) {
        await scene.progress(30);
        const told = scene.recoveries.length;
        await step();
        t.pass(JSON.stringify(scene.recoveries.slice(told)));
      }
      await scene.settles();
    } finally {
      if (process.env.CLUSTER_OUTPUT !== undefined) writeFileSync(process.env.CLUSTER_OUTPUT, scene.output());
      t.comment({ statuses: scene.statuses, ...scene.counts });
      t.comment(summarise(scene.recoveries));
    }
    t.strictSame(await scene.problems(), []);
  },
);
