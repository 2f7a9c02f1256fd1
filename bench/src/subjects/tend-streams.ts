import { jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { FLOW } from "#contract";

const INTERVAL_MS = 1_000;
/** What ingest publishes, and the platform and rewards would consume. */
const OUTWARD = [FLOW.platformTransactions.stream, FLOW.settlement.stream];

/**
 * Empties every second what nobody consumes where neither the platform nor rewards runs: full work queues would make
 * ingest wait, and it would be their size that is measured. To be begun when the streams are there.
 * @returns to be called when the services have ended: removes all of the installation's streams, because NATS keeps their
 * whole size reserved and the next installation needs it
 */
export async function tendStreams(
  natsUrl: string,
  prefix: string,
  options: { readonly empty: boolean },
): Promise<() => Promise<void>> {
  const { host, username, password } = new URL(natsUrl);
  const nats = await connect({ servers: host, user: username, pass: password });
  const { streams } = await jetstreamManager(nats);
  const empty = async (): Promise<void> => {
    // One that fails is made good by the next.
    for (const name of OUTWARD) await streams.purge(prefix + name).catch(() => {});
    timer = setTimeout(run, INTERVAL_MS);
  };
  let emptying = Promise.resolve();
  const run = (): void => {
    emptying = empty();
  };
  let timer = options.empty ? setTimeout(run, INTERVAL_MS) : undefined;
  return async () => {
    await emptying;
    clearTimeout(timer);
    const names: string[] = [];
    for await (const name of streams.names()) if (name.startsWith(prefix)) names.push(name);
    for (const name of names) await streams.delete(name);
    await nats.close();
  };
}
