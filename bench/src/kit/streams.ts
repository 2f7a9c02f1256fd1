import type { StreamAPI } from "@nats-io/jetstream";

interface JetStream {
  readonly account_details?: readonly {
    readonly stream_detail?: readonly StreamDetail[];
  }[];
}

interface StreamDetail {
  readonly name: string;
  readonly state: { readonly messages: number; readonly last_seq: number };
}

/** The streams with this prefix, according to NATS. */
export async function readStreams(monitorUrl: string, prefix: string): Promise<StreamDetail[]> {
  const { account_details = [] } = (await (
    await fetch(`${monitorUrl}/jsz?streams=true`)
  ).json()) as JetStream;
  const streams = account_details.flatMap(({ stream_detail = [] }) => stream_detail);
  return streams.filter(({ name }) => name.startsWith(prefix));
}

/**
 * Removes all streams of an installation: NATS keeps their whole size reserved, and the next installation
 * needs it.
 */
export async function removeStreams(streams: StreamAPI, prefix: string): Promise<void> {
  const names: string[] = [];
  for await (const name of streams.names()) if (name.startsWith(prefix)) names.push(name);
  for (const name of names) await streams.delete(name);
}
