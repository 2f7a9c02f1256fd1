/** An advisory that concerns an installed package. */
interface Advisory {
  /** `GHSA-…` where its address has one, else the registry's number. */
  readonly id: string;
  readonly package: string;
  readonly severity: Severity;
  readonly title: string;
  readonly url: string;
}

const SEVERITIES = ["info", "low", "moderate", "high", "critical"] as const;
type Severity = (typeof SEVERITIES)[number];

/** What `npm audit --json` came to. */
type AuditAnswer =
  | { readonly kind: "report"; readonly advisories: readonly Advisory[] }
  /** Nobody could be asked: no network, or a registry that does not offer it. */
  | { readonly kind: "unavailable"; readonly why: string }
  /** npm could not audit for a reason that is ours to mend. */
  | { readonly kind: "failed"; readonly why: string };

/** Mirrors and caches often have no audit, and say so in one of these ways; 5xx and 429 are outages. */
const NOT_OFFERED = new Set([403, 404, 405, 410, 429]);
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

interface Via {
  readonly source?: number;
  readonly name: string;
  readonly title: string;
  readonly url: string;
  readonly severity: Severity;
}

/** @param text standard output of `npm audit --json` */
export function readAuditReport(text: string): AuditAnswer {
  let report: Report;
  try {
    report = JSON.parse(text) as Report;
  } catch {
    return {
      kind: "failed",
      why: `npm audit printed no JSON: ${text.slice(0, 200).trim() || "nothing at all"}`,
    };
  }
  if (report.auditReportVersion === 2 && report.vulnerabilities !== undefined) {
    return { kind: "report", advisories: advisoriesOf(report.vulnerabilities) };
  }
  const { message, uri, statusCode, error } = report;
  const registry = uri !== undefined && URL.canParse(uri) ? new URL(uri).host : "of this npm";
  if (statusCode !== undefined && (NOT_OFFERED.has(statusCode) || statusCode >= 500)) {
    return { kind: "unavailable", why: `the registry ${registry} answers ${statusCode} to it` };
  }
  const said = [message, error?.code, error?.summary, error?.detail].filter(Boolean).join(" ");
  if (NO_NETWORK.test(said)) return { kind: "unavailable", why: `the registry was not reached (${said})` };
  return { kind: "failed", why: said === "" ? "its report is of an unknown kind" : said };
}

/** Each advisory once. A package that is only concerned through another holds the other's name, and that one the advisory. */
function advisoriesOf(vulnerabilities: NonNullable<Report["vulnerabilities"]>): Advisory[] {
  const found = new Map<string, Advisory>();
  for (const { via } of Object.values(vulnerabilities)) {
    for (const one of via) {
      if (typeof one === "string") continue;
      const id = /GHSA(?:-[0-9a-z]{4}){3}/.exec(one.url)?.[0] ?? String(one.source ?? one.url);
      const { name, severity, title, url } = one;
      found.set(`${id} ${name}`, { id, package: name, severity, title, url });
    }
  }
  return [...found.values()];
}

/** An advisory that somebody looked at and found harmless here, for a while. */
export interface AcceptedAdvisory {
  readonly id: string;
  readonly package: string;
  /** The last day, as in `2027-01-31` (UTC). From the next on it counts again. */
  readonly until: string;
  readonly reason: string;
}

interface Judgement {
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
