/** When a NATS server syncs what it acknowledges: before every acknowledgement, or now and then. */
export type SyncMode = "always" | "interval" | "unknown";
export const SYNC_MODES: readonly SyncMode[] = ["always", "interval", "unknown"];

/** What a NATS server says of itself on its monitoring port. */
export interface ServerReport {
  readonly version: string;
  readonly syncMode: SyncMode;
}

const ANSWER_MS = 2_000;

interface Varz {
  readonly version?: string;
  readonly jetstream?: { readonly config?: { readonly sync_always?: boolean } };
}

/**
 * Asks a server for its fsync mode.
 *
 * Looked up in the sources of nats-server v2.9.25, v2.10.0, v2.10.29, v2.11.0, v2.12.0 and v2.14.0, and asked 2.14.0:
 * `/varz` (`jetstream.config`) and `/jsz` (`config`) show the same `JetStreamConfig`. `sync_interval: always` makes it
 * `"sync_always": true`, while `sync_interval` stays at its default of 120000000000 ns: the interval alone says nothing.
 * With any interval `sync_always` is left out (`omitempty`), as it is before 2.10, which only knows the interval. So a
 * configuration without it means `interval`. Without JetStream there is no `config`.
 * @param url of the monitoring port
 * @throws when it does not answer like a NATS server
 */
export async function readServerReport(url: string): Promise<ServerReport> {
  const response = await fetch(new URL("varz", url.endsWith("/") ? url : `${url}/`), {
    signal: AbortSignal.timeout(ANSWER_MS),
  });
  if (!response.ok) throw new Error(`${url} answered ${response.status}`);
  const { version, jetstream } = (await response.json()) as Varz;
  if (version === undefined) throw new Error(`${url} is no monitoring port of NATS`);
  const config = jetstream?.config;
  if (config === undefined) return { version, syncMode: "unknown" };
  return { version, syncMode: config.sync_always === true ? "always" : "interval" };
}

/** Of several servers: one that syncs now and then is enough to lose messages, one that is not known may be such a one. */
export function weakestOf(modes: readonly SyncMode[]): SyncMode {
  if (modes.includes("interval")) return "interval";
  return modes.length === 0 || modes.includes("unknown") ? "unknown" : "always";
}
