import { useState } from "preact/hooks";
import { call } from "../api.ts";
import { ReasonDialog } from "../parts/reason-dialog.tsx";
import { attemptWords } from "./attempt-words.ts";
import { ReplayDialog } from "./replay-dialog.tsx";
import type { ActionDialogProps, TestOutcome } from "./webhook-types.ts";

type Open = "state" | "test" | "replay" | "retry";

/** What an operator can do with a webhook; each asks for a reason first. */
export function WebhookActions({ webhook, onChanged }: Omit<ActionDialogProps, "onClose">) {
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  const isEnabled = webhook.state === "enabled";
  return (
    <>
      {isEnabled && webhook.failing_since !== undefined && (
        <button type="button" onClick={() => setOpen("retry")}>
          Retry now
        </button>
      )}
      <button type="button" onClick={() => setOpen("test")}>
        Test
      </button>
      <button type="button" onClick={() => setOpen("replay")}>
        Replay
      </button>
      <button type="button" onClick={() => setOpen("state")}>
        {isEnabled ? "Pause" : "Enable"}
      </button>
      {open === "state" && <StateDialog webhook={webhook} onChanged={onChanged} onClose={close} />}
      {open === "retry" && <RetryDialog webhook={webhook} onChanged={onChanged} onClose={close} />}
      {open === "test" && <TestDialog webhook={webhook} onChanged={onChanged} onClose={close} />}
      {open === "replay" && <ReplayDialog webhook={webhook} onChanged={onChanged} onClose={close} />}
    </>
  );
}

function StateDialog({ webhook, onChanged, onClose }: ActionDialogProps) {
  const isEnabled = webhook.state === "enabled";
  const change = async (reason: string) => {
    const state = isEnabled ? "paused" : "enabled";
    await call("publisher.v1/webhook/update", { id: webhook.id, state }, { reason });
    onChanged(isEnabled ? "It is paused." : "It is enabled.");
  };
  return (
    <ReasonDialog
      title={isEnabled ? "Pause the webhook" : "Enable the webhook"}
      action={isEnabled ? "Pause" : "Enable"}
      onConfirm={change}
      onClose={onClose}
    >
      {isEnabled
        ? "Nothing is sent until it is enabled. Events wait for up to 30 days."
        : "What waits goes out at once, in order."}
    </ReasonDialog>
  );
}

function RetryDialog({ webhook, onChanged, onClose }: ActionDialogProps) {
  const retry = async (reason: string) => {
    const { due } = await call("publisher.v1/webhook/retry", { id: webhook.id }, { reason });
    onChanged(due === 0 ? "Nothing waits for its next attempt." : "The next attempt is made now.");
  };
  return (
    <ReasonDialog title="Retry now" action="Retry" onConfirm={retry} onClose={onClose}>
      What waits for its next attempt is sent at once, and what stands behind it if it arrives.
    </ReasonDialog>
  );
}

function TestDialog({ webhook, onChanged, onClose }: ActionDialogProps) {
  const test = async (reason: string) => {
    onChanged(testWords(await call("publisher.v1/webhook/test", { id: webhook.id }, { reason })));
  };
  return (
    <ReasonDialog title="Test the webhook" action="Send" onConfirm={test} onClose={onClose}>
      A webhook.test event is sent now, whatever waits. It can take 15 seconds until the receiver has
      answered.
    </ReasonDialog>
  );
}

function testWords(outcome: TestOutcome): string {
  const { delivered, duration_ms: ms } = outcome;
  return `${delivered ? "The test arrived" : "The test did not arrive"}: ${attemptWords(outcome)} in ${ms} ms.`;
}
