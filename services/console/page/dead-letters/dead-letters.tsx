import { useState } from "preact/hooks";
import type { LetterGroup, LetterGroups } from "../../src/dead-letters/dead-letter-routes.ts";
import { useCall } from "../api.ts";
import { pathOf } from "../frame/path-of.ts";
import { Link } from "../frame/router.tsx";
import { Moment } from "../parts/moment.tsx";
import { Screen } from "../parts/screen.tsx";
import { States } from "../parts/states.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { type Change, ChangeDialog } from "./change-dialog.tsx";
import { reasonWords } from "./letter-words.ts";

const LEAD = "Events and messages that can never be handled as they are. They are kept for 30 days.";

interface Asked {
  readonly change: Change;
  readonly group: LetterGroup;
}

/** The dead letters by stream and reason, and what can be done with each group. */
export function DeadLettersPage() {
  const groups = useCall("dead-letters/groups", {});
  const [asked, setAsked] = useState<Asked>();
  const [notice, setNotice] = useState<string>();
  const changed = (what: string) => {
    setNotice(what);
    if (groups.state === "ready") groups.again();
  };
  return (
    <Screen title="Dead letters" lead={LEAD}>
      {notice !== undefined && (
        <p class="notice" role="status">
          {notice}
        </p>
      )}
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
              caption="Dead letters by where they came from and why"
              columns={columnsFor(answer, setAsked)}
              rows={answer.groups}
              keyOf={({ stream, reason }) => `${stream} ${reason}`}
            />
            {answer.more && (
              <p class="quiet">There are more than are counted here: these are of the oldest 10,000.</p>
            )}
            {!answer.can_change && <ReadOnly />}
            {asked !== undefined && (
              <GroupDialog
                asked={asked}
                through={answer.through}
                onChanged={changed}
                onClose={() => setAsked(undefined)}
              />
            )}
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
      This console may only read them. `stampede dead-letter` puts them back, and so does the console with
      STAMPEDE_CONSOLE_OPERATOR_NATS_URL.
    </p>
  );
}

interface GroupDialogProps {
  readonly asked: Asked;
  readonly through: number;
  onChanged(what: string): void;
  onClose(): void;
}

function GroupDialog({ asked: { change, group }, through, onChanged, onClose }: GroupDialogProps) {
  const { stream, reason, count } = group;
  return (
    <ChangeDialog
      change={change}
      choice={{ stream, reason, through }}
      onChanged={onChanged}
      onClose={onClose}
    >
      {count === 1 ? "The letter" : `All ${count.toLocaleString("en-GB")} letters`} from <code>{stream}</code>{" "}
      with the reason <code>{reason}</code>.
    </ChangeDialog>
  );
}

function columnsFor(
  { can_change: canChange }: LetterGroups,
  ask: (asked: Asked) => void,
): Column<LetterGroup>[] {
  const actions: Column<LetterGroup> = {
    title: "Do",
    cell: (group) => (
      <span class="row-actions">
        <button type="button" onClick={() => ask({ change: "redrive", group })}>
          Put back
        </button>
        <button type="button" onClick={() => ask({ change: "discard", group })}>
          Discard
        </button>
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
    { title: "Letters", isNumber: true, cell: ({ count }) => count.toLocaleString("en-GB") },
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
