import { useState } from "preact/hooks";
import { CallError, call } from "../api.ts";
import { fromLocal, toLocal } from "../parts/local-time.ts";
import { ReasonDialog } from "../parts/reason-dialog.tsx";
import type { ActionDialogProps } from "./webhook-types.ts";

/** Sends events to a webhook again: those that failed, or all of some time. */
export function ReplayDialog({ webhook, onChanged, onClose }: ActionDialogProps) {
  const [which, setWhich] = useState<"failed" | "time">("failed");
  const [since, setSince] = useState(anHourAgo);
  const [until, setUntil] = useState("");
  const replay = async (reason: string) => {
    if (which === "time" && since === "")
      throw new CallError(0, { code: "incomplete", message: "Say since when." });
    const chosen =
      which === "failed"
        ? { failed: true as const }
        : { since: fromLocal(since), ...(until !== "" && { until: fromLocal(until) }) };
    const { queued } = await call(
      "publisher.v1/webhook.delivery/replay",
      { webhook_id: webhook.id, ...chosen },
      { reason },
    );
    onChanged(
      queued === 0
        ? "There was nothing to replay."
        : `${queued.toLocaleString("en-GB")} events go out again.`,
    );
  };
  return (
    <ReasonDialog title="Replay events" action="Replay" onConfirm={replay} onClose={onClose}>
      <p>They go out after those that wait. Receivers know them by their ids.</p>
      <label class="choice">
        <input type="radio" name="which" checked={which === "failed"} onChange={() => setWhich("failed")} />
        those that failed
      </label>
      <label class="choice">
        <input type="radio" name="which" checked={which === "time"} onChange={() => setWhich("time")} />
        all of a time
      </label>
      {which === "time" && (
        <div class="pair">
          <label>
            Since
            <input
              type="datetime-local"
              step={1}
              value={since}
              onInput={(event) => setSince(event.currentTarget.value)}
            />
          </label>
          <label>
            Until
            <input
              type="datetime-local"
              step={1}
              value={until}
              onInput={(event) => setUntil(event.currentTarget.value)}
            />
          </label>
        </div>
      )}
    </ReasonDialog>
  );
}

const anHourAgo = () => toLocal(new Date(Date.now() - 3_600_000).toISOString());
