import { ensureSharedConsumers, ensureTopology, topologyOf } from "#nats";
import type { Settings } from "#runtime";
import type { Terminal } from "../terminal.ts";
import { withStream } from "../with-stream.ts";

/**
 * Makes the streams of NATS_URL and the consumers that processes share, or brings them to these settings: services whose
 * NATS users may not do that find them there. Nothing where no NATS is named: services with all rights make their own.
 */
export async function migrateStreams(settings: Settings, terminal: Terminal): Promise<void> {
  if (settings.natsUrl === undefined) return;
  const topology = topologyOf(settings);
  await withStream(settings, async (stream) => {
    await ensureTopology(stream, topology);
    await ensureSharedConsumers(stream, topology);
  });
  terminal.err("streams and consumers are there");
}
