import type { Store } from "#postgres";
import type { Pipeline, Publisher, ServiceProcess } from "#test-support";

/** An installation of Stampede as its users and its auditor see it. */
export interface Site {
  readonly publisher: Publisher;
  /** Without it nobody shops: a load of transactions alone, for an edge and an ingest. */
  readonly platformToken?: string | undefined;
  /** The auditor's own way to the publisher's database. */
  readonly store: Store;
  readonly databaseUrl: string;
  /** The addresses of a service's processes, of this moment. */
  urlsOf(service: "edge" | "platform"): readonly string[];
}

/** A pipeline whose processes come and go. @param processes those of this moment */
export function siteOf(
  { store, databaseUrl, publisher }: Pipeline,
  processes: (service: "edge" | "platform") => readonly ServiceProcess[],
  platformToken?: string,
): Site {
  const urlsOf = (service: "edge" | "platform") => processes(service).map(({ url }) => url as string);
  return { store, databaseUrl, publisher, platformToken, urlsOf };
}
