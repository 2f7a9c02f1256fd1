export interface NatsConfig {
  readonly port: number;
  readonly monitorPort: number;
  readonly storeDir: string;
  readonly user: string;
  readonly password: string;
  /** Off for versions that do not know the setting. */
  readonly syncAlways: boolean;
}

/** The text of nats.conf; it holds the password. Strings are JSON strings, which NATS' configuration reads. */
export function natsConfig(config: NatsConfig): string {
  const text = JSON.stringify;
  return `# Written at every start.
server_name: stampede
listen: ${text(`127.0.0.1:${config.port}`)}
http: ${text(`127.0.0.1:${config.monitorPort}`)}
authorization { user: ${text(config.user)}, password: ${text(config.password)} }
# The default, stated: a message that this server takes, any other with default settings takes as well.
max_payload: 1048576
jetstream {
  store_dir: ${text(config.storeDir)}
  # An acknowledged message is on disk. The default syncs every two minutes, and a power loss takes what came since.
  ${config.syncAlways ? "sync_interval: always" : ""}
}
logtime_utc: true
`;
}
