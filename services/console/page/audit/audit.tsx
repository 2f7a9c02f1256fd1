import { useMemo } from "preact/hooks";
import type { AuditEntry } from "../../src/audit-entry.ts";
import { mayActAs, useSession } from "../frame/roles.ts";
import { Link } from "../frame/router.tsx";
import { Badge } from "../parts/badge.tsx";
import { Moment } from "../parts/moment.tsx";
import { Screen } from "../parts/screen.tsx";
import { type Column, PagedTable } from "../parts/table.tsx";
import { useList } from "../parts/use-list.ts";

/** Every look-up and every change, with its user and reason. Administrators see all lines, others their own. */
export function AuditPage() {
  const { role, organisations, by_link } = useSession();
  const seesAll = mayActAs(role, "administrator");
  const columns = useMemo(
    () => columnsFor(new Map(organisations.map(({ id, name }) => [id, name]))),
    [organisations],
  );
  const pages = useList("audit", {});
  const lead = seesAll
    ? "Every look-up of a member, every change, and who made it."
    : "What you have looked up and changed. Administrators see the lines of all users.";
  return (
    <Screen title="Audit" lead={lead} actions={by_link ? <Link to="/sessions">Sessions</Link> : undefined}>
      <PagedTable
        caption="Lines of the audit, newest first"
        columns={columns}
        pages={pages}
        keyOf={({ id }) => id}
        none="Nothing has been looked up or changed yet."
      />
    </Screen>
  );
}

function columnsFor(names: ReadonlyMap<string, string>): Column<AuditEntry>[] {
  return [
    { title: "When", cell: ({ at }) => <Moment at={at} /> },
    {
      title: "Who",
      cell: ({ user, role }) => (
        <>
          {user} <span class="quiet">{role}</span>
        </>
      ),
    },
    { title: "What", cell: (entry) => <Asked entry={entry} /> },
    {
      title: "About",
      cell: ({ subject, changes }) => (
        <>
          {subject === null ? <span class="quiet">–</span> : <code>{subject}</code>}
          {changes.map((change) => (
            <div key={change} class="quiet">
              {change}
            </div>
          ))}
        </>
      ),
    },
    {
      title: "Organisation",
      isExtra: true,
      cell: ({ organisation }) => (organisation === null ? "–" : (names.get(organisation) ?? organisation)),
    },
    { title: "Why", cell: ({ reason }) => reason ?? <span class="quiet">–</span> },
    { title: "End", cell: ({ outcome }) => <Outcome outcome={outcome} /> },
  ];
}

/** A page asks several things at once: the others are below the first, each with its outcome if that is another one. */
function Asked({ entry: { action, outcome, joined } }: { readonly entry: AuditEntry }) {
  return (
    <>
      <code>{action}</code>
      {joined.map((other) => (
        <div key={`${other.action} ${other.outcome}`}>
          <code>{other.action}</code>
          {other.requests > 1 && <span class="quiet"> {other.requests} times</span>}{" "}
          {other.outcome !== outcome && <Outcome outcome={other.outcome} />}
        </div>
      ))}
    </>
  );
}

/** Faults of the console or of an API; other outcomes say what the fault of the request was. */
const FAULTS: ReadonlySet<string> = new Set(["internal_error", "unavailable"]);

/** A line without an outcome belongs to a request that was cut off, and may have taken effect. */
function Outcome({ outcome }: { readonly outcome: string | null }) {
  if (outcome === null) return <Badge kind="busy">not seen</Badge>;
  if (outcome === "ok") return <Badge kind="good">ok</Badge>;
  return <Badge kind={FAULTS.has(outcome) ? "bad" : "plain"}>{outcome}</Badge>;
}
