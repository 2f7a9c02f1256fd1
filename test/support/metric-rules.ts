import type { ExposedFamily } from "./exposition-rules.ts";

/** The prefixes that a name may have: ours, and those of the client library and of Prometheus' conventions. */
const PREFIXES = /^(?:stampede|process|nodejs)_/;
/** Base units, in plural. A count without a unit is named by its noun. */
const UNITS = ["seconds", "bytes", "ratio", "celsius", "meters", "volts", "amperes", "joules", "grams"];
/** Words of a name that stand for a unit other than its base, or shorten one. */
const NO_UNITS =
  /(?:^|_)(?:ms|us|ns|sec|secs|second|msec|milliseconds?|microseconds?|nanoseconds?|minutes?|hours?|days?|kb|mb|gb|kib|mib|gib|kilobytes?|megabytes?|gigabytes?|byte|bits?|percent|pct|dur|num|cnt|avg|tot|req|reqs|msg|msgs|conn|conns|err|errs|db|mem|ts)(?:_|$)/;
const SNAKE_CASE = /^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/;
/** Suffixes that the formats add themselves. */
const RESERVED = /_(?:bucket|sum|count|created)$/;

/**
 * Violations of Prometheus' rules for names of metrics ("Metric and label naming", "Writing client
 * libraries", and those of `promtool check metrics`).
 * @param families in the form of the plain-text format
 */
export function metricFaults(families: readonly ExposedFamily[]): string[] {
  return families.flatMap((family) => nameFaults(family).map((fault) => `${family.name}: ${fault}`));
}

function nameFaults({ name, help, type, samples }: ExposedFamily): string[] {
  const words = name.split("_");
  const faults: string[] = [];
  const rule = (isBroken: boolean, fault: string) => isBroken && faults.push(fault);
  rule(!PREFIXES.test(name), "has no prefix of ours");
  rule(!SNAKE_CASE.test(name), "is not in lower snake case");
  rule((type === "counter") !== name.endsWith("_total"), "only counters end in _total, and all do");
  rule(RESERVED.test(name), "ends with a suffix of the format");
  rule(NO_UNITS.test(name), "has a word that is no base unit, or is cut short");
  rule(name.includes(type), "says its type");
  const unitAt = words.findIndex((word) => UNITS.includes(word));
  const last = type === "counter" ? words.length - 2 : words.length - 1;
  rule(unitAt >= 0 && unitAt !== last, "its unit is not the last word");
  rule(/duration|_age|_wait_/.test(name) && !words.includes("seconds"), "a time is told in seconds");
  rule(name.startsWith("stampede_") && !help.endsWith("."), "its help ends without a full stop");
  rule(
    samples.some(({ labels }) => !labels.has("service")),
    "a sample does not say of which service",
  );
  for (const label of new Set(samples.flatMap(({ labels }) => [...labels.keys()]))) {
    rule(!SNAKE_CASE.test(label), `its label "${label}" is not in lower snake case`);
  }
  return faults;
}
