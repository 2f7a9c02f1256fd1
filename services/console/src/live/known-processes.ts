import { HOP_SERVICES, type HopService, type Source } from "#status";
import type { LiveProcess } from "./live-answer.ts";
import { DONE, type Observed } from "./observe-processes.ts";

interface Known {
  readonly service: HopService;
  readonly url: string;
  readonly process: LiveProcess;
}

/**
 * The processes that answer, and those that did and are still asked, which are down. Without this memory a process that stops
 * answering would vanish.
 */
export class KnownProcesses {
  #known: readonly Known[] = [];

  /** Adds an observation. A process is forgotten when its address is no longer asked, or another process has it. */
  update({ sources, asked }: Observed): void {
    const answering = sources.flatMap(processesOf);
    const isHere = ({ service, url }: Known) =>
      answering.some((other) => other.url === url && other.service === service);
    const down = this.#known.filter((known) => {
      if (isHere(known) || !asked.includes(known.url)) return false;
      const source = sources.find(({ url }) => url === known.url);
      return source === undefined || isAllInOne(source);
    });
    this.#known = [
      ...answering,
      ...down.map(({ process, ...rest }) => ({
        ...rest,
        process: { ...process, state: "down" as const, partitions: [] },
      })),
    ];
  }

  of(service: HopService): LiveProcess[] {
    return this.#known
      .filter((known) => known.service === service)
      .map(({ process }) => process)
      .sort((a, b) => (a.id < b.id ? -1 : 1));
  }
}

function processesOf(source: Source): Known[] {
  const { url, scrape } = source;
  return HOP_SERVICES.flatMap((service) => {
    const ready = scrape.sum("stampede_ready", { service });
    if (ready === undefined) return [];
    const process: LiveProcess = {
      id: isAllInOne(source) ? service : new URL(url).host,
      state: ready > 0 ? "ready" : "not ready",
      partitions: partitionsOf(source, service),
    };
    return [{ service, url, process }];
  });
}

/** An all-in-one's address reports all its services. */
function isAllInOne({ scrape }: Source): boolean {
  return scrape.samples("stampede_child_up").length > 0;
}

/** A process reports a sequence for each stream that it reads: `INGEST_3` is partition 3. */
function partitionsOf({ scrape }: Source, service: HopService): number[] {
  const read = scrape.samples(DONE, { service });
  const partitions = read.flatMap(({ labels }) => /_(\d+)$/.exec(labels.stream ?? "")?.[1] ?? []);
  return [...new Set(partitions.map(Number))].sort((a, b) => a - b);
}
