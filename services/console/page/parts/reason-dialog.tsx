import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { CallError } from "../api.ts";

interface ReasonDialogProps {
  /** What is about to be done, as on the button that opened it: `Pause the webhook`. */
  readonly title: string;
  /** What it does, and to what. */
  readonly children?: ComponentChildren;
  /** The word on the button that does it. */
  readonly action: string;
  /** Cannot be taken back: the button says so by its colour. */
  readonly isFinal?: boolean;
  /** Does it. While it is under way the dialog stays, and shows why if it fails. */
  readonly onConfirm: (reason: string) => Promise<void>;
  readonly onClose: () => void;
}

const LENGTH = { min: 3, max: 500 };

/** Asks why before something is changed. The reason is written into the audit. */
export function ReasonDialog({
  title,
  children,
  action,
  isFinal = false,
  onConfirm,
  onClose,
}: ReasonDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const field = useId();
  const heading = useId();
  const [reason, setReason] = useState("");
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string>();
  useEffect(() => dialog.current?.showModal(), []);
  const isReason = reason.trim().length >= LENGTH.min;
  const confirm = async (event: Event) => {
    event.preventDefault();
    if (!isReason || isBusy) return;
    setBusy(true);
    setFailure(undefined);
    try {
      await onConfirm(reason.trim());
      // Closed, it gives the focus back to what opened it; taken out of the page while it is open, it would not.
      dialog.current?.close();
    } catch (error) {
      setFailure(error instanceof CallError ? error.message : String(error));
      setBusy(false);
    }
  };
  return (
    <dialog ref={dialog} class="dialog" aria-labelledby={heading} onClose={onClose}>
      <form onSubmit={confirm}>
        <h2 id={heading}>{title}</h2>
        {children !== undefined && <div class="dialog-text">{children}</div>}
        <label for={field}>Why?</label>
        <textarea
          id={field}
          rows={3}
          maxLength={LENGTH.max}
          value={reason}
          required
          minLength={LENGTH.min}
          onInput={(event) => setReason(event.currentTarget.value)}
        />
        <p class="quiet">It is kept in the audit, with your name.</p>
        {failure !== undefined && (
          <p class="dialog-failure" role="alert">
            {failure}
          </p>
        )}
        <div class="dialog-actions">
          <button type="button" onClick={() => dialog.current?.close()}>
            Cancel
          </button>
          <button
            type="submit"
            class={isFinal ? "final" : "primary"}
            disabled={!isReason}
            aria-disabled={isBusy}
          >
            {isBusy ? "Working" : action}
          </button>
        </div>
      </form>
    </dialog>
  );
}
