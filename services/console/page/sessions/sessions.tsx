import { useMemo, useState } from "preact/hooks";
import { call, useCall } from "../api.ts";
import type { Entrance, RequestTo } from "../console-routes.ts";
import { mayActAs, useSession } from "../frame/roles.ts";
import { Moment } from "../parts/moment.tsx";
import { ReasonDialog } from "../parts/reason-dialog.tsx";
import { Screen } from "../parts/screen.tsx";
import { States } from "../parts/states.tsx";
import { type Column, Table } from "../parts/table.tsx";

/** What a dialog asks to end. */
interface Ending {
  readonly title: string;
  readonly choice: RequestTo<"sessions/end">;
}

/** Open sessions and unused links. Each can be ended. */
export function SessionsPage() {
  const { user, role } = useSession();
  const seesAll = mayActAs(role, "administrator");
  const list = useCall("sessions/list", {});
  const [ending, setEnding] = useState<Ending>();
  const [notice, setNotice] = useState<string>();
  const columns = useMemo(() => columnsFor(setEnding, seesAll), [seesAll]);
  const end = async ({ choice }: Ending, reason: string) => {
    const { sessions, links } = await call("sessions/end", choice, { reason });
    setNotice(`Ended: sessions ${sessions}, unused links ${links}.`);
    if ("again" in list) list.again();
  };
  const ofAll: Ending = seesAll
    ? { title: "End the sessions of all users", choice: { all: true } }
    : { title: "End all of your sessions", choice: { user } };
  return (
    <Screen
      title="Sessions"
      lead={`${seesAll ? "All" : "Your"} open sessions and unused links.`}
      actions={
        <button type="button" onClick={() => setEnding(ofAll)}>
          End all
        </button>
      }
      notice={notice}
    >
      <States call={list} empty={{ when: ({ entrances }) => entrances.length === 0, say: "None is open." }}>
        {({ entrances }) => (
          <Table
            caption="Open sessions and links, by user"
            columns={columns}
            rows={entrances}
            keyOf={({ id }) => id}
          />
        )}
      </States>
      {ending !== undefined && (
        <ReasonDialog
          title={ending.title}
          action="End"
          onConfirm={(reason) => end(ending, reason)}
          onClose={() => setEnding(undefined)}
        >
          It holds from the next request on. To come back, the user needs another link.
        </ReasonDialog>
      )}
    </Screen>
  );
}

function columnsFor(onEnd: (ending: Ending) => void, seesAll: boolean): Column<Entrance>[] {
  const endButton = (label: string, ending: Ending) => (
    <button type="button" onClick={() => onEnd(ending)}>
      {label}
    </button>
  );
  return [
    {
      title: "Who",
      cell: ({ user, role }) => (
        <>
          {user} <span class="quiet">{role}</span>
        </>
      ),
    },
    {
      title: "What",
      cell: ({ kind }) => (kind === "session" ? kind : "unused link"),
    },
    { title: "Id", isExtra: true, cell: ({ id }) => <code>{id}</code> },
    { title: "Until", cell: ({ expires_at: at }) => <Moment at={at} grain="minute" /> },
    {
      title: "End",
      cell: ({ id, user, kind }) => (
        <>
          {endButton("End", { title: `End this ${kind} of ${user}`, choice: { id } })}{" "}
          {seesAll &&
            endButton("End all of this user", { title: `End all sessions of ${user}`, choice: { user } })}
        </>
      ),
    },
  ];
}
