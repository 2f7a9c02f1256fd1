import { useState } from "preact/hooks";
import type { LetterGroup, LetterGroups } from "../../src/dead-letters/dead-letter-routes.ts";
import { useCall } from "../api.ts";
import { pathOf } from "../frame/path-of.ts";
import { Link } from "../frame/router.tsx";
import { Moment } from "../parts/moment.tsx";
import { Screen } from "../parts/screen.tsx";
import { States } from "../parts/states.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { inGroups } from "../purchase/words.ts";
import { ChangeButton } from "./change-button.tsx";
import { reasonWords } from "./letter-words.ts";

const LEAD = "Events and messages that can never be handled as they are. They are kept for 30 days.";

/** The dead letters by stream and reason, with buttons for each group. */
export function DeadLettersPage() {
  const groups = useCall("dead-letters/groups", {});
  const [notice, setNotice] = useState<string>();
  const changed = (what: string) => {
    setNotice(what);
    if (groups.state === "ready") groups.again();
  };
  return (
    <Screen title="Dead letters" lead={LEAD} notice={notice}>
      <States
        call={groups}
        empty={{
          when: (answer) => answer.groups.length === 0,
          say: "There are none: everything could be handled.",
        }}
      >
        {(answer) => (
          <>
            <Table
              caption="Dead letters by stream and reason"
              columns={columnsFor(answer, changed)}
              rows={answer.groups}
              keyOf={({ stream, reason }) => `${stream} ${reason}`}
            />
            {answer.more && (
              <p class="quiet">Only the oldest 10,000 letters are counted here; there are more.</p>
            )}
            {!answer.can_change && <ReadOnly />}
          </>
        )}
      </States>
    </Screen>
  );
}

/** Why the buttons are missing. */
export function ReadOnly() {
  return (
    <p class="quiet">
      This console may only read them. `stampede dead-letter` puts them back; with
      STAMPEDE_CONSOLE_OPERATOR_NATS_URL the console can, too.
    </p>
  );
}

function columnsFor(
  { can_change: canChange, through }: LetterGroups,
  onChanged: (what: string) => void,
): Column<LetterGroup>[] {
  const actions: Column<LetterGroup> = {
    title: "Do",
    cell: ({ stream, reason, count }) => (
      <span class="row-actions">
        {(["redrive", "discard"] as const).map((change) => (
          <ChangeButton
            key={change}
            change={change}
            choice={{ stream, reason, through }}
            onChanged={onChanged}
          >
            {count === 1 ? "The letter" : `All ${inGroups(count)} letters`} from <code>{stream}</code> with
            the reason <code>{reason}</code>.
          </ChangeButton>
        ))}
      </span>
    ),
  };
  return [
    {
      title: "Reason",
      cell: ({ stream, reason }) => (
        <>
          <Link to={pathOf("dead-letters", stream, reason)}>
            <code>{reason}</code>
          </Link>
          <div class="quiet">{reasonWords(reason)}</div>
        </>
      ),
    },
    { title: "From", cell: ({ stream }) => <code>{stream}</code> },
    { title: "Letters", isNumber: true, cell: ({ count }) => inGroups(count) },
    { title: "SQLSTATE", isExtra: true, cell: ({ errors }) => errorWords(errors) },
    { title: "Oldest", isNumber: true, isExtra: true, cell: ({ oldest }) => <Moment at={oldest} /> },
    { title: "Newest", isNumber: true, cell: ({ newest }) => <Moment at={newest} /> },
    ...(canChange ? [actions] : []),
  ];
}

/** `23514: 12, 22003: 1`. */
function errorWords(errors: LetterGroup["errors"]): string {
  const parts = Object.entries(errors).map(([code, times]) => `${code}: ${times}`);
  return parts.join(", ") || "–";
}
