import type { ComponentChildren } from "preact";
import type { LetterChoice } from "../../src/dead-letters/dead-letter-routes.ts";
import { call } from "../api.ts";
import { ReasonDialog } from "../parts/reason-dialog.tsx";
import { type ChangeSum, changeWords } from "./letter-words.ts";

export type Change = "redrive" | "discard";

interface ChangeDialogProps {
  readonly change: Change;
  readonly choice: LetterChoice;
  /** Which letters, in words. */
  readonly children: ComponentChildren;
  /** @param what came of it, in a sentence */
  onChanged(what: string): void;
  onClose(): void;
}

/** Asks for the reason, and puts letters back or discards them. */
export function ChangeDialog({ change, choice, children, onChanged, onClose }: ChangeDialogProps) {
  const isFinal = change === "discard";
  const confirm = async (reason: string) => {
    const sum = await changeAll(change, choice, reason);
    onChanged(changeWords(sum, isFinal ? "discarded" : "put back"));
  };
  return (
    <ReasonDialog
      title={isFinal ? "Discard dead letters" : "Put dead letters back"}
      action={isFinal ? "Discard" : "Put back"}
      isFinal={isFinal}
      onConfirm={confirm}
      onClose={onClose}
    >
      <p>{children}</p>
      <p>
        {isFinal
          ? "What they hold is gone for good. Nobody can get it back."
          : "They go back to where they came from, oldest first. What still cannot be handled dies again."}
      </p>
    </ReasonDialog>
  );
}

/** A request does so many letters at most, so a large group takes several; each is a line of the audit. */
async function changeAll(change: Change, choice: LetterChoice, reason: string): Promise<ChangeSum> {
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
