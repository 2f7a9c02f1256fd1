/** An advisory that concerns an installed package. */
export interface Advisory {
  /** `GHSA-…` if its address has one, else the registry's number. */
  readonly id: string;
  readonly package: string;
  readonly severity: Severity;
  readonly title: string;
  readonly url: string;
}

const SEVERITIES = ["info", "low", "moderate", "high", "critical"] as const;
type Severity = (typeof SEVERITIES)[number];
/** The least severity that fails. */
const LEVEL = "high";

/**
 * The result of `npm audit --json`: its advisories, or why there are none and whether that is ours to fix.
 */
type AuditAnswer = readonly Advisory[] | { readonly why: string; readonly isOurs: boolean };

/** Mirrors and caches often have no audit, and say so in one of these ways; 5xx and 429 are outages. */
const NOT_OFFERED = /^(?:403|404|405|410|429|5\d\d)$/;
const NO_NETWORK =
  /\b(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET_TIMEOUT|ENOTCACHED|EIDLETIMEOUT)\b|socket hang up|network timeout|in `only-if-cached` mode/;

interface Report {
  readonly auditReportVersion?: number;
  readonly vulnerabilities?: Readonly<Record<string, { readonly via: ReadonlyArray<string | Via> }>>;
  readonly message?: string;
  readonly uri?: string;
  readonly statusCode?: number;
  readonly error?: { readonly code?: string; readonly summary?: string; readonly detail?: string };
}

interface Via extends Omit<Advisory, "id" | "package"> {
  readonly source?: number;
  readonly name: string;
}

/** @param text standard output of `npm audit --json` */
export function readAuditReport(text: string): AuditAnswer {
  let report: Report;
  try {
    report = JSON.parse(text) as Report;
  } catch {
    const printed = text.slice(0, 200).trim() || "nothing at all";
    return { why: `npm audit printed no JSON: ${printed}`, isOurs: true };
  }
  const { auditReportVersion, vulnerabilities, message, uri = "", statusCode, error } = report;
  if (auditReportVersion === 2 && vulnerabilities !== undefined) {
    // Each advisory once. A package that is only affected through another holds the other's name.
    const found = Object.values(vulnerabilities).flatMap(({ via }) =>
      via.filter((one) => typeof one !== "string"),
    );
    return [...new Map(found.map(advisoryOf).map((one) => [`${one.id} ${one.package}`, one])).values()];
  }
  if (NOT_OFFERED.test(`${statusCode}`)) {
    const registry = URL.canParse(uri) ? new URL(uri).host : "of this npm";
    return { why: `the registry ${registry} answers ${statusCode} to it`, isOurs: false };
  }
  const said = [message, error?.code, error?.summary, error?.detail].filter(Boolean).join(" ");
  if (NO_NETWORK.test(said)) return { why: `the registry was not reached (${said})`, isOurs: false };
  return { why: said || "its report is of an unknown kind", isOurs: true };
}

function advisoryOf({ name, source, severity, title, url }: Via): Advisory {
  const id = /GHSA(?:-[0-9a-z]{4}){3}/.exec(url)?.[0] ?? String(source ?? url);
  return { id, package: name, severity, title, url };
}

/** An advisory that was examined and found harmless here, for a while. */
export interface AcceptedAdvisory {
  readonly id: string;
  readonly package: string;
  /** The last day, as in `2027-01-31` (UTC). From the next day on it counts again. */
  readonly until: string;
  readonly reason: string;
}

/**
 * Failures, and remarks that deserve a line but are no failures.
 * @param today as in `2027-01-31` (UTC)
 */
export function judgeAdvisories(
  advisories: readonly Advisory[],
  accepted: readonly AcceptedAdvisory[],
  today: string,
): { readonly failures: readonly string[]; readonly remarks: readonly string[] } {
  const failures = accepted.flatMap(acceptanceProblems);
  const remarks: string[] = [];
  const unused = new Set(accepted);
  for (const { id, package: name, severity, title, url } of advisories) {
    const what = `${name}: ${severity}: ${title} (${url})`;
    const acceptance = accepted.find((one) => one.id === id && one.package === name);
    if (acceptance !== undefined) unused.delete(acceptance);
    if (SEVERITIES.indexOf(severity) < SEVERITIES.indexOf(LEVEL)) remarks.push(`below ${LEVEL}: ${what}`);
    else if (acceptance === undefined) failures.push(what);
    else if (acceptance.until < today) failures.push(`${what}; it was accepted until ${acceptance.until}`);
    else remarks.push(`accepted until ${acceptance.until} (${acceptance.reason}): ${what}`);
  }
  for (const { id, package: name } of unused)
    remarks.push(`${id} of ${name} is accepted and no longer found: delete its entry`);
  return { failures, remarks };
}

function acceptanceProblems({ id, package: name, until, reason }: AcceptedAdvisory): string[] {
  const isDay = /^\d{4}-\d\d-\d\d$/.test(until) && !Number.isNaN(Date.parse(until));
  return [
    ...(isDay ? [] : [`accepted advisory ${id} of ${name}: "until" must be a day such as 2027-01-31`]),
    ...(reason ? [] : [`accepted advisory ${id} of ${name}: has no reason`]),
  ];
}
