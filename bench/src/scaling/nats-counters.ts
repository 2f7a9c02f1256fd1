import type { Counters } from "./counter-series.ts";

interface Connections {
  readonly connections?: readonly {
    readonly name?: string;
    readonly in_bytes: number;
    readonly out_bytes: number;
    readonly in_msgs: number;
    readonly out_msgs: number;
  }[];
}

interface JetStream {
  readonly account_details?: readonly {
    readonly stream_detail?: readonly {
      readonly name: string;
      readonly state: { readonly last_seq: number; readonly messages: number; readonly bytes: number };
    }[];
  }[];
}

/**
 * What NATS itself counts: bytes from and to each service by the name of its connection (`from.edge`, `to.ingest`), and
 * messages that each stream of the installation ever stored (`stored.INGEST`, all partitions together).
 */
export async function readNats(monitorUrl: string, prefix: string): Promise<Counters> {
  const [connections, jetstream] = (await Promise.all([
    ask(`${monitorUrl}/connz?limit=1024`),
    ask(`${monitorUrl}/jsz?streams=true`),
  ])) as [Connections, JetStream];
  const counters: Record<string, number> = {};
  const add = (name: string, value: number): void => {
    counters[name] = (counters[name] ?? 0) + value;
  };
  for (const { name = "unnamed", in_bytes, out_bytes } of connections.connections ?? []) {
    add(`from.${name}`, in_bytes);
    add(`to.${name}`, out_bytes);
  }
  const streams = (jetstream.account_details ?? []).flatMap((account) => account.stream_detail ?? []);
  for (const { name, state } of streams) {
    if (name.startsWith(prefix)) add(`stored.${nameOf(name.slice(prefix.length))}`, state.last_seq);
  }
  return counters;
}

/** `INGEST_0` is one of several. */
function nameOf(stream: string): string {
  return stream.replace(/_\d+$/, "");
}

async function ask(url: string): Promise<unknown> {
  return (await fetch(url)).json();
}
