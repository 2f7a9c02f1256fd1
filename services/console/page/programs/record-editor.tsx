import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { CallOptions } from "../api.ts";
import { goTo } from "../frame/address.ts";
import { mayActAs, useSession } from "../frame/roles.ts";
import { Link, pathOf } from "../frame/router.tsx";
import { Id } from "../parts/id.tsx";
import { ReasonButton, ReasonDialog } from "../parts/reason-dialog.tsx";
import { Screen } from "../parts/screen.tsx";

/** The lists of the platform, by the kind of their records. */
export const LISTS = {
  program: { path: "/programs", title: "Programs" },
  deal: { path: "/programs/deals", title: "Deals" },
  retailer: { path: "/programs/retailers", title: "Retailers" },
} as const;
export type RecordKind = keyof typeof LISTS;

/** In an address, in the place of the id of a record that is not saved yet. */
export const NEW = "new";

interface RecordEditorProps {
  readonly kind: RecordKind;
  /** Undefined for a record that is not saved yet. */
  readonly id: string | undefined;
  /** Of the saved record. */
  readonly name: string;
  /** `updated_at` of the saved record. */
  readonly updatedAt: string | undefined;
  /** The contents of the fields: once they change, the page no longer says that the record was saved. */
  readonly form: unknown;
  readonly fields: ComponentChildren;
  /** Below the fields. */
  readonly children?: ComponentChildren;
  /** Whether the fields can be saved. */
  readonly isComplete: boolean;
  /** Called when the user asks to save the record: faults are shown from then on. */
  onTried(): void;
  /** @param options with a key that every attempt to save one new record has, so that it is made once */
  save(options: CallOptions): Promise<{ readonly id: string; readonly updated_at: string }>;
  remove(id: string, options: CallOptions): Promise<unknown>;
  /** Sentences: the result of saving, the effect of saving, and the effect of removing. */
  readonly saved: string;
  readonly saving: string;
  readonly removing: string;
}

/** A form for one record of the platform, with buttons that save and remove it. */
export function RecordEditor(props: RecordEditorProps) {
  const { kind, id, name, form, fields, children, isComplete, onTried } = props;
  const { role } = useSession();
  const mayChange = mayActAs(role, "administrator");
  const [isSaving, setSaving] = useState(false);
  const [notice, setNotice] = useState<string>();
  const key = useRef(newKey());
  const shown = useRef(props.updatedAt);
  const { path, title } = LISTS[kind];
  useEffect(() => setNotice(undefined), [form]);
  const askToSave = () => {
    onTried();
    if (isComplete) setSaving(true);
  };
  const save = async (reason: string) => {
    const idempotencyKey = id === undefined ? key.current : undefined;
    const saved = await props.save({ reason, idempotencyKey, shown: shown.current });
    shown.current = saved.updated_at;
    if (id === undefined) goTo(pathOf(kind, saved.id));
    else setNotice(props.saved);
  };
  const remove = async (reason: string) => {
    if (id === undefined) return;
    await props.remove(id, { reason, shown: shown.current });
    goTo(path);
  };
  return (
    <Screen
      title={id === undefined ? `New ${kind}` : name}
      lead={id && <Id id={id} />}
      actions={<Link to={path}>All {title.toLowerCase()}</Link>}
      notice={notice}
    >
      <div class="form">
        <fieldset class="whole" disabled={!mayChange}>
          {fields}
        </fieldset>
        {children}
        {mayChange && (
          <div class="form-actions">
            <button type="button" class="primary" onClick={askToSave}>
              Save
            </button>
            {id !== undefined && (
              <ReasonButton title={`Remove the ${kind}`} action="Remove" isFinal onConfirm={remove}>
                {props.removing}
              </ReasonButton>
            )}
          </div>
        )}
      </div>
      {isSaving && (
        <ReasonDialog
          title={`Save the ${kind}`}
          action="Save"
          onConfirm={save}
          onClose={() => setSaving(false)}
        >
          {props.saving}
        </ReasonDialog>
      )}
    </Screen>
  );
}

function newKey(): string {
  return `console-${[...crypto.getRandomValues(new Uint32Array(4))].join("-")}`;
}
