import { randomBytes } from "node:crypto";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { freePort, type NatsOptions, type RunningNats, startNats } from "#embedded";
import { makeTestDirectory } from "./server-pair.ts";
import { TcpProxy } from "./tcp-proxy.ts";
import { waitFor } from "./wait-for.ts";

/** How a node loses its connections: with a reset, or without a sign. */
export type Severing = "refuse" | "freeze";

/** A cluster of three NATS servers on loopback, durable as in production. Its nodes are called 0, 1 and 2. */
export interface NatsCluster {
  /** The URL with all nodes. */
  readonly url: string;
  /** The URL of one node. */
  urlOf(node: number): string;
  monitorUrlOf(node: number): string;
  /** Sends SIGKILL; the node is gone when it resolves. */
  kill(node: number): Promise<void>;
  /** Sends SIGTERM: a node that ends in order gives its leadership away first. */
  stop(node: number): Promise<void>;
  /** Starts a node after `kill` or `stop`; resolves once it has caught up with the others. */
  start(node: number): Promise<void>;
  /**
   * Cuts a node off from the other two.
   * @param clients whether to cut it off from its clients as well; otherwise they stay connected to a node
   *   that cannot serve them
   */
  sever(node: number, how: Severing, clients: boolean): void;
  heal(node: number): void;
  /**
   * Resolves when this node reports that it has caught up with every stream, and knows who leads. For some seconds after it was
   * cut off, a node reports this from its old data.
   */
  healthy(node: number): Promise<void>;
  /** The node that leads the cluster itself, if the asked one knows. */
  metaLeader(asked: number): Promise<number | undefined>;
  /** The node that leads a stream, if it has a leader. */
  streamLeader(stream: string): Promise<number | undefined>;
  /** Ends the cluster and removes its data: for `t.teardown`. */
  remove(): Promise<void>;
}

const NODES = [0, 1, 2];
type Triple = [number[], number[], number[]];
const HEALTHY_MS = 150_000;

/**
 * Each node reaches each of the others through proxies of its own, and clients reach each node through another proxy, so that
 * any connection can be cut. Nodes tell each other two addresses: their own, where no process listens, so that no
 * connection goes past the proxies, and that of their proxy for clients.
 */
export async function startNatsCluster(): Promise<NatsCluster> {
  const dir = makeTestDirectory();
  const password = randomBytes(16).toString("hex");
  const ports = await freePorts(3 * NODES.length + 1);
  const [clientPorts, routePorts, monitorPorts] = [0, 3, 6].map((at) => ports.slice(at, at + 3)) as Triple;
  const nobody = ports.at(-1) as number;
  const clients = await Promise.all(clientPorts.map((port) => TcpProxy.start(`nats://127.0.0.1:${port}`)));
  /** By the node that dials and the node that it reaches. */
  const routes = await Promise.all(
    NODES.map((from) =>
      Promise.all(
        NODES.map((to) => (from === to ? undefined : TcpProxy.start(`nats://127.0.0.1:${routePorts[to]}`))),
      ),
    ),
  );
  const optionsOf = (node: number): NatsOptions => ({
    dataDir: join(dir, `nats-${node}`),
    log: () => {},
    password,
    port: clientPorts[node],
    monitorPort: monitorPorts[node],
    cluster: {
      name: "stampede",
      serverName: nameOf(node),
      port: routePorts[node] as number,
      routePorts: (routes[node] as (TcpProxy | undefined)[]).flatMap((proxy) => (proxy ? [proxy.port] : [])),
      advertisedPort: nobody,
      clientPort: (clients[node] as TcpProxy).port,
    },
  });
  const proxies = [...clients, ...routes.flat().filter((proxy) => proxy !== undefined)];
  const servers: RunningNats[] = [];
  const remove = async () => {
    await Promise.all(servers.map((server) => server.stop()));
    await Promise.all(proxies.map((proxy) => proxy.close()));
    rmSync(dir, { recursive: true, force: true });
  };
  // All at once, since no node is ready before it has found another.
  const starts = await Promise.allSettled(NODES.map((node) => startNats(optionsOf(node))));
  for (const [node, start] of starts.entries()) if (start.status === "fulfilled") servers[node] = start.value;
  const failed = starts.find((start) => start.status === "rejected");
  if (failed !== undefined) {
    await remove();
    throw failed.reason;
  }
  const server = (node: number) => servers[node] as RunningNats;
  const proxiesOf = (node: number) =>
    [...(routes[node] ?? []), ...routes.map((row) => row[node])].filter((proxy) => proxy !== undefined);
  const urlOf = (node: number) => `nats://stampede:${password}@127.0.0.1:${(clients[node] as TcpProxy).port}`;
  const monitor = async (node: number, path: string) =>
    fetch(`${server(node).monitorUrl}${path}`, { signal: AbortSignal.timeout(2_000) });
  const cluster: NatsCluster = {
    url: NODES.map(urlOf).join(","),
    urlOf,
    monitorUrlOf: (node) => server(node).monitorUrl,
    async kill(node) {
      server(node).kill("SIGKILL");
      await server(node).stop();
    },
    stop: (node) => server(node).stop(),
    async start(node) {
      servers[node] = await startNats(optionsOf(node));
    },
    sever(node, how, alsoClients) {
      for (const proxy of proxiesOf(node)) proxy[how]();
      if (alsoClients) clients[node]?.[how]();
    },
    heal(node) {
      for (const proxy of proxiesOf(node)) proxy.thaw();
      clients[node]?.thaw();
    },
    async healthy(node) {
      const isHealthy = async () => {
        const answer = await monitor(node, "/healthz");
        if (answer.status !== 200) throw new Error(await answer.text());
        return true;
      };
      await waitFor(isHealthy, { deadlineMs: HEALTHY_MS, message: `NATS node ${node} has not caught up` });
    },
    async metaLeader(asked) {
      const { meta_cluster } = (await (await monitor(asked, "/jsz")).json()) as JetStreamState;
      return nodeOf(meta_cluster?.leader);
    },
    async streamLeader(stream) {
      for (const node of NODES) {
        const state = await monitor(node, "/jsz?streams=true&stream-leader-only=true").catch(() => undefined);
        const { account_details = [] } = ((await state?.json()) ?? {}) as JetStreamState;
        const details = account_details.flatMap((account) => account.stream_detail ?? []);
        const found = details.find(({ name }) => name === stream);
        if (found?.cluster?.leader === nameOf(node)) return node;
      }
      return undefined;
    },
    remove,
  };
  return cluster;
}

/** The fields of `/jsz` that the tests read. */
interface JetStreamState {
  readonly meta_cluster?: { readonly leader?: string };
  readonly account_details?: readonly {
    readonly stream_detail?: readonly {
      readonly name: string;
      readonly cluster?: { readonly leader?: string };
    }[];
  }[];
}

const nameOf = (node: number) => `n${node}`;

function nodeOf(name: string | undefined): number | undefined {
  const node = NODES.find((candidate) => nameOf(candidate) === name);
  return node;
}

/** This many distinct ports. */
async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  while (ports.size < count) ports.add(await freePort());
  return [...ports];
}
