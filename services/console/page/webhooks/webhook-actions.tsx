import { call } from "../api.ts";
import { ReasonButton } from "../parts/reason-dialog.tsx";
import { attemptWords } from "./attempt-words.ts";
import { ReplayButton } from "./replay-button.tsx";
import type { ActionProps, TestAnswer } from "./webhook-types.ts";

/** What an operator can do with a webhook; each asks for a reason first. */
export function WebhookActions({ webhook, onChanged }: ActionProps) {
  const { id, state, failing_since } = webhook;
  const isEnabled = state === "enabled";
  const retry = async (reason: string) => {
    const { due } = await call("publisher.v1/webhook/retry", { id }, { reason });
    onChanged(due === 0 ? "Nothing waits for its next attempt." : "The next attempt is made now.");
  };
  const test = async (reason: string) =>
    onChanged(testWords(await call("publisher.v1/webhook/test", { id }, { reason })));
  const change = async (reason: string) => {
    await call("publisher.v1/webhook/update", { id, state: isEnabled ? "paused" : "enabled" }, { reason });
    onChanged(isEnabled ? "It is paused." : "It is enabled.");
  };
  return (
    <>
      <ReasonButton
        label="Retry now"
        isHidden={!isEnabled || failing_since === undefined}
        title="Retry now"
        action="Retry"
        onConfirm={retry}
      >
        The delivery that waits for its next attempt is sent at once; if it arrives, the others follow.
      </ReasonButton>
      <ReasonButton label="Test" title="Test the webhook" action="Send" onConfirm={test}>
        A webhook.test event is sent now, ahead of events that wait. The receiver may take 15 seconds to
        answer.
      </ReasonButton>
      <ReplayButton webhook={webhook} onChanged={onChanged} />
      <ReasonButton
        title={isEnabled ? "Pause the webhook" : "Enable the webhook"}
        action={isEnabled ? "Pause" : "Enable"}
        onConfirm={change}
      >
        {isEnabled
          ? "Nothing is sent until it is enabled. Events wait for up to 30 days."
          : "Events that wait are sent at once, in order."}
      </ReasonButton>
    </>
  );
}

function testWords(outcome: TestAnswer): string {
  const { delivered, duration_ms: ms } = outcome;
  return `${delivered ? "The test arrived" : "The test did not arrive"}: ${attemptWords(outcome)} in ${ms} ms.`;
}
