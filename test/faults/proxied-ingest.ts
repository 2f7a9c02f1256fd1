import type { Test } from "tap";
import {
  type Pipeline,
  PublisherClient,
  type ServiceProcess,
  startPipeline,
  startTcpProxy,
  type TcpProxy,
} from "#test-support";

/** A pipeline whose only ingest process speaks to NATS through a proxy, and a member to send events of. */
export interface ProxiedIngest {
  readonly pipeline: Pipeline;
  readonly client: PublisherClient;
  readonly member: string;
  readonly ingest: ServiceProcess;
  readonly proxy: TcpProxy;
}

export async function startProxiedIngest(t: Test): Promise<ProxiedIngest> {
  const pipeline = await startPipeline();
  t.teardown(() => pipeline.stop());
  const client = new PublisherClient(pipeline.edge.url, pipeline.publisher.token);
  const [member] = (await client.enrol("fault")) as [string];
  await pipeline.ingest.stop();
  const nats = new URL(pipeline.natsUrl);
  const proxy = await startTcpProxy({ host: nats.hostname, port: Number(nats.port) });
  t.teardown(() => proxy.close());
  nats.port = String(proxy.port);
  const ingest = await pipeline.start("ingest", { NATS_URL: nats.href });
  return { pipeline, client, member, ingest, proxy };
}
