import type { ComponentChildren } from "preact";
import type { LetterChoice } from "../../src/dead-letters/dead-letter-routes.ts";
import { call } from "../api.ts";
import { ReasonButton } from "../parts/reason-dialog.tsx";
import { type ChangeSum, changeWords } from "./letter-words.ts";

interface ChangeButtonProps {
  readonly change: "redrive" | "discard";
  readonly choice: LetterChoice;
  /** Which letters, in words. */
  readonly children: ComponentChildren;
  /** @param what a sentence that says how many letters were changed */
  onChanged(what: string): void;
}

/** Asks for the reason, and puts letters back or discards them. */
export function ChangeButton({ change, choice, children, onChanged }: ChangeButtonProps) {
  const isFinal = change === "discard";
  const confirm = async (reason: string) => {
    const sum = await changeAll(change, choice, reason);
    onChanged(changeWords(sum, isFinal ? "discarded" : "put back"));
  };
  return (
    <ReasonButton
      title={isFinal ? "Discard dead letters" : "Put dead letters back"}
      action={isFinal ? "Discard" : "Put back"}
      isFinal={isFinal}
      onConfirm={confirm}
    >
      <p>{children}</p>
      <p>
        {isFinal
          ? "They are gone for good, with all that they hold."
          : "They go back to their streams, oldest first. A letter that still cannot be handled dies again."}
      </p>
    </ReasonButton>
  );
}

/** A request changes a bounded number of letters, so a large group takes several; each is a line of the audit. */
async function changeAll(
  change: ChangeButtonProps["change"],
  choice: LetterChoice,
  reason: string,
): Promise<ChangeSum> {
  const route = `dead-letters/${change}` as const;
  const sum = { done: 0, impossible: 0 };
  let request = choice;
  for (;;) {
    const { done, impossible, stopped, cursor } = await call(route, request, { reason });
    sum.done += done;
    sum.impossible += impossible;
    if (stopped !== undefined) return { ...sum, stopped };
    if (cursor === null || "sequences" in request) break;
    request = { ...request, after: cursor };
  }
  return "sequences" in choice ? { ...sum, named: choice.sequences.length } : sum;
}
