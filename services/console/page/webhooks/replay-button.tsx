import { useState } from "preact/hooks";
import { CallError, call } from "../api.ts";
import { TimeField } from "../parts/fields.tsx";
import { ReasonButton } from "../parts/reason-dialog.tsx";
import { count } from "../purchase/words.ts";
import type { ActionProps } from "./webhook-types.ts";

/** Sends events to a webhook again: those that failed, or all of a span of time. */
export function ReplayButton({ webhook, onChanged }: ActionProps) {
  const [which, setWhich] = useState<"failed" | "time">("failed");
  const [since, setSince] = useState("");
  const [until, setUntil] = useState("");
  // As of the opening: the page may have been open for hours.
  const begin = () => {
    setWhich("failed");
    setSince(anHourAgo());
    setUntil("");
  };
  const replay = async (reason: string) => {
    if (which === "time" && since === "")
      throw new CallError(0, { code: "incomplete", message: "Give the time since which." });
    const chosen = which === "failed" ? { failed: true as const } : { since, ...(until !== "" && { until }) };
    const { queued } = await call(
      "publisher.v1/webhook.delivery/replay",
      { webhook_id: webhook.id, ...chosen },
      { reason },
    );
    onChanged(
      queued === 0 ? "There was nothing to replay." : `${count(queued, "event")} will be sent again.`,
    );
  };
  return (
    <ReasonButton title="Replay events" action="Replay" onOpen={begin} onConfirm={replay}>
      <p>They are sent after those that wait. Receivers recognise them by their ids.</p>
      <label class="choice">
        <input type="radio" name="which" checked={which === "failed"} onChange={() => setWhich("failed")} />
        those that failed
      </label>
      <label class="choice">
        <input type="radio" name="which" checked={which === "time"} onChange={() => setWhich("time")} />
        all of a span of time
      </label>
      {which === "time" && (
        <div class="pair">
          <TimeField label="Since" value={since} onChange={setSince} />
          <TimeField label="Until" value={until} onChange={setUntil} />
        </div>
      )}
    </ReasonButton>
  );
}

const anHourAgo = () => new Date(Date.now() - 3_600_000).toISOString();
