import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { CallError } from "../api.ts";

interface ReasonDialogProps {
  /** Names the change: `Pause the webhook`. */
  readonly title: string;
  /** What the change does. */
  readonly children?: ComponentChildren;
  /** On the button that makes the change. */
  readonly action: string;
  /** The change cannot be taken back: its button has another colour. */
  readonly isFinal?: boolean;
  /** Makes the change. The dialog stays open meanwhile, and shows the error if it fails. */
  readonly onConfirm: (reason: string) => Promise<void>;
  readonly onClose: () => void;
}

const LENGTH = { min: 3, max: 500 };

interface ReasonButtonProps extends Omit<ReasonDialogProps, "onClose"> {
  /** On the button that opens the dialog; left out, `action`. */
  readonly label?: string;
  /** No button is shown; a dialog that is open stays. */
  readonly isHidden?: boolean;
  /** Called before the dialog opens: the fields of `children` begin again. */
  readonly onOpen?: () => void;
}

/** A button that asks for the reason first. */
export function ReasonButton({ label, isHidden = false, onOpen, ...dialog }: ReasonButtonProps) {
  const [isOpen, setOpen] = useState(false);
  const open = () => {
    onOpen?.();
    setOpen(true);
  };
  return (
    <>
      {!isHidden && (
        <button type="button" onClick={open}>
          {label ?? dialog.action}
        </button>
      )}
      {isOpen && <ReasonDialog {...dialog} onClose={() => setOpen(false)} />}
    </>
  );
}

/** Asks for the reason of a change. The reason is written into the audit. */
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
      // A closed dialog gives the focus back to the button that opened it; one removed while it is open does not.
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
        <p class="quiet">The audit keeps it, with your name.</p>
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
