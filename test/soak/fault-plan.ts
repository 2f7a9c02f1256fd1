import { SeededRandom } from "#domain";
import { LINK_FAULTS, type LinkFault, type ServiceName } from "#test-support";

export const FAULT_KINDS = [
  "kill-service",
  "freeze-service",
  "kill-nats",
  "freeze-nats",
  "kill-postgres",
  "freeze-postmaster",
  "kill-backend",
  "freeze-backend",
  "link",
] as const;
export type FaultKind = (typeof FAULT_KINDS)[number];

/** One planned fault. The draws choose its victims among the processes and connections of that time. */
export interface PlannedFault {
  readonly number: number;
  /** Milliseconds after the load began. */
  readonly atMs: number;
  /** How long the fault lasts; for a kill: how long until another process is started. */
  readonly forMs: number;
  readonly kind: FaultKind;
  /** The victim of a fault of a service or a link. */
  readonly service: ServiceName;
  /** From [0, 1): which of its processes, or which backend. */
  readonly draw: number;
  readonly link: {
    readonly fault: LinkFault;
    readonly server: "postgres" | "nats";
    /** From [0, 1): which connection; undefined: all connections of the process. */
    readonly draw: number | undefined;
  };
}

/**
 * Out of a hundred faults. A killed server breaks the connections of all services: more such kills would hide
 * the rest.
 */
const WEIGHTS: Readonly<Record<FaultKind, number>> = {
  "kill-service": 20,
  "freeze-service": 22,
  "kill-nats": 4,
  "freeze-nats": 5,
  "kill-postgres": 3,
  "freeze-postmaster": 3,
  "kill-backend": 4,
  "freeze-backend": 14,
  link: 25,
};
/** Events go through ingest and rewards: if anything is lost, it is lost there. */
const SERVICES: readonly ServiceName[] = [
  "edge",
  "ingest",
  "ingest",
  "ingest",
  "rewards",
  "rewards",
  "platform",
  "platform",
  "webhooks",
];
const GAP_MS = { least: 300, most: 4_000 };
/** Short freezes are more frequent: under long ones of everything there is no load that could be lost. */
const FROZEN_MS = { least: 3_000, most: 20_000 };
const AWAY_MS = { least: 0, most: 2_000 };
/** Storm and calm, so that much of the load meets the aftermath of a fault. */
const STORM_MS = 45_000;
const CALM_MS = 15_000;
const BEGIN_MS = 3_000;

/** The choice of faults: all, unless it names fewer. */
export interface FaultChoice {
  readonly kinds?: readonly FaultKind[] | undefined;
  /** Only processes of these services, and their links. */
  readonly services?: readonly ServiceName[] | undefined;
}

/** All faults of a run, in the order in which they begin. The seed alone decides. */
export function planFaults(seed: number, durationMs: number, choice: FaultChoice = {}): PlannedFault[] {
  const { kinds = FAULT_KINDS, services } = choice;
  const victims = SERVICES.filter((service) => services?.includes(service) ?? true);
  const random = new SeededRandom(seed);
  const lots = kinds.flatMap((kind) => Array.from({ length: WEIGHTS[kind] }, () => kind));
  const plan: PlannedFault[] = [];
  if (lots.length === 0) return plan;
  let at = BEGIN_MS;
  for (let number = 1; ; number++) {
    at += random.between(GAP_MS.least, GAP_MS.most);
    // A run that is shorter than both has no calm phase: its end serves as one.
    if (durationMs > STORM_MS + CALM_MS && at % (STORM_MS + CALM_MS) > STORM_MS) {
      at += STORM_MS + CALM_MS - (at % (STORM_MS + CALM_MS));
    }
    if (at >= durationMs) return plan;
    const kind = random.pick(lots);
    const isKill = kind.startsWith("kill-");
    plan.push({
      number,
      atMs: at,
      forMs: isKill
        ? random.between(AWAY_MS.least, AWAY_MS.most)
        : Math.round(FROZEN_MS.least + random.next() ** 2 * (FROZEN_MS.most - FROZEN_MS.least)),
      kind,
      service: random.pick(victims),
      draw: random.next(),
      link: {
        fault: random.pick(LINK_FAULTS),
        server: random.pick(["postgres", "nats"] as const),
        draw: random.chance(0.6) ? random.next() : undefined,
      },
    });
  }
}
