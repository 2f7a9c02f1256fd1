export interface NatsConfig {
  readonly port: number;
  readonly monitorPort: number;
  readonly storeDir: string;
  readonly user: string;
  readonly password: string;
  /** Stands where the one user would: other users, and TLS. */
  readonly access?: string | undefined;
  /** Off for versions that do not know the setting. */
  readonly syncAlways: boolean;
  /** Left out: a server of its own. */
  readonly cluster?: NatsClusterConfig | undefined;
}

/** A node's place among the nodes of its cluster, all on loopback. */
export interface NatsClusterConfig {
  readonly name: string;
  /** Different for each node, and the same at its every start: it is how the others know whose copy of a stream this is. */
  readonly serverName: string;
  readonly port: number;
  /** Where the node reaches each of the others. */
  readonly routePorts: readonly number[];
  /** What the others are told this node's address is. */
  readonly advertisedPort: number;
  /** What clients are told: with it they know all nodes, whichever of them they were given. */
  readonly clientPort: number;
}

/** The text of nats.conf; it holds the password. Strings are JSON strings, which NATS' configuration reads. */
export function natsConfig(config: NatsConfig): string {
  const text = JSON.stringify;
  const one = `authorization { user: ${text(config.user)}, password: ${text(config.password)} }`;
  return `# Written at every start.
server_name: ${text(config.cluster?.serverName ?? "stampede")}
listen: ${text(`127.0.0.1:${config.port}`)}
http: ${text(`127.0.0.1:${config.monitorPort}`)}
${config.access ?? one}
# The default, stated: a message that this server takes, any other with default settings takes as well.
max_payload: 1048576
jetstream {
  store_dir: ${text(config.storeDir)}
  # An acknowledged message is on disk. The default syncs every two minutes, and a power loss takes what came since.
  ${config.syncAlways ? "sync_interval: always" : ""}
}
${config.cluster === undefined ? "" : clusterConfig(config.cluster, config)}logtime_utc: true
`;
}

function clusterConfig(cluster: NatsClusterConfig, { user, password }: NatsConfig): string {
  const text = JSON.stringify;
  const routes = cluster.routePorts.map((port) => text(`nats-route://${user}:${password}@127.0.0.1:${port}`));
  return `client_advertise: ${text(`127.0.0.1:${cluster.clientPort}`)}
cluster {
  name: ${text(cluster.name)}
  listen: ${text(`127.0.0.1:${cluster.port}`)}
  advertise: ${text(`127.0.0.1:${cluster.advertisedPort}`)}
  authorization { user: ${text(user)}, password: ${text(password)} }
  routes: [${routes.join(", ")}]
}
`;
}
