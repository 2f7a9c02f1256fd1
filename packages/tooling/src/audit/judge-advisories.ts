import { type Advisory, SEVERITIES, type Severity } from "./read-audit-report.ts";

/** An advisory that somebody looked at and found harmless here, for a while. */
export interface AcceptedAdvisory {
  readonly id: string;
  readonly package: string;
  /** The last day, as in `2027-01-31` (UTC). From the next on it counts again. */
  readonly until: string;
  readonly reason: string;
}

export interface Judgement {
  readonly failures: readonly string[];
  /** Worth a line, and no failure. */
  readonly remarks: readonly string[];
}

/** @param level the least severity that fails */
export function judgeAdvisories(
  advisories: readonly Advisory[],
  accepted: readonly AcceptedAdvisory[],
  { level, now }: { level: Severity; now: Date },
): Judgement {
  const failures = accepted.flatMap((one) => acceptanceProblems(one));
  const remarks: string[] = [];
  const today = now.toISOString().slice(0, 10);
  for (const advisory of advisories) {
    const what = `${advisory.package}: ${advisory.severity}: ${advisory.title} (${advisory.url})`;
    const acceptance = accepted.find((one) => one.id === advisory.id && one.package === advisory.package);
    if (SEVERITIES.indexOf(advisory.severity) < SEVERITIES.indexOf(level))
      remarks.push(`below ${level}: ${what}`);
    else if (acceptance === undefined) failures.push(what);
    else if (acceptance.until < today) failures.push(`${what}; it was accepted until ${acceptance.until}`);
    else remarks.push(`accepted until ${acceptance.until} (${acceptance.reason}): ${what}`);
  }
  for (const { id, package: name } of accepted) {
    if (advisories.some((advisory) => advisory.id === id && advisory.package === name)) continue;
    remarks.push(`${id} of ${name} is accepted and no longer found: delete its entry`);
  }
  return { failures, remarks };
}

function acceptanceProblems({ id, package: name, until, reason }: AcceptedAdvisory): string[] {
  const isDay = /^\d{4}-\d\d-\d\d$/.test(until) && !Number.isNaN(Date.parse(until));
  return [
    ...(isDay ? [] : [`accepted advisory ${id} of ${name}: "until" must be a day such as 2027-01-31`]),
    ...(reason ? [] : [`accepted advisory ${id} of ${name}: has no reason`]),
  ];
}
