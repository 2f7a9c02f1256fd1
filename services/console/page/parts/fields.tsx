import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import { fromLocal, toLocal } from "./local-time.ts";

interface FieldProps {
  readonly label: string;
  /** Under the field. */
  readonly hint?: ComponentChildren;
  /** Replaces the hint. */
  readonly fault?: string | undefined;
}

interface TextFieldProps extends FieldProps {
  readonly value: string;
  onChange(value: string): void;
}

/** Links a field to its texts, so that screen readers read them with it. */
interface Described {
  readonly id: string;
  readonly "aria-describedby": string | undefined;
  readonly "aria-invalid": boolean;
}

function Field({
  label,
  hint,
  fault,
  children,
}: FieldProps & { readonly children: (described: Described) => ComponentChildren }) {
  const id = useId();
  const note = hint === undefined && fault === undefined ? undefined : `${id}-note`;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({ id, "aria-describedby": note, "aria-invalid": fault !== undefined })}
      {note !== undefined && (
        <p id={note} class={fault === undefined ? "quiet" : "fault"}>
          {fault ?? hint}
        </p>
      )}
    </div>
  );
}

interface LineProps extends TextFieldProps {
  /** A short field: a number, a code. */
  readonly isShort?: boolean;
  readonly isNumber?: boolean;
}

/** One line of text. */
export function LineField({ value, onChange, isShort = false, isNumber = false, ...field }: LineProps) {
  return (
    <Field {...field}>
      {(described) => (
        <input
          {...described}
          type="text"
          class={isShort ? "short" : undefined}
          inputMode={isNumber ? "decimal" : undefined}
          autoComplete="off"
          value={value}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}

/** Several lines. */
export function AreaField({
  value,
  onChange,
  rows = 3,
  ...field
}: TextFieldProps & { readonly rows?: number }) {
  return (
    <Field {...field}>
      {(described) => (
        <textarea
          {...described}
          rows={rows}
          value={value}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}

/** A time in the browser's zone; in the form it is RFC 3339, or empty. */
export function TimeField({ value, onChange, ...field }: TextFieldProps) {
  return (
    <Field {...field}>
      {(described) => (
        <input
          {...described}
          type="datetime-local"
          step={1}
          class="short"
          value={toLocal(value)}
          onInput={(event) => onChange(fromLocal(event.currentTarget.value))}
        />
      )}
    </Field>
  );
}

interface ChoiceFieldProps<Value extends string> extends FieldProps {
  readonly value: Value;
  readonly choices: Readonly<Partial<Record<Value, string>>>;
  onChange(value: Value): void;
}

/** One of a few. */
export function ChoiceField<Value extends string>({
  value,
  choices,
  onChange,
  ...field
}: ChoiceFieldProps<Value>) {
  return (
    <Field {...field}>
      {(described) => (
        <select
          {...described}
          value={value}
          onChange={(event) => onChange(event.currentTarget.value as Value)}
        >
          {Object.entries<string | undefined>(choices).map(([name, words]) => (
            <option key={name} value={name}>
              {words}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

interface CheckFieldProps {
  readonly label: string;
  readonly value: boolean;
  onChange(value: boolean): void;
}

/** Yes or no. */
export function CheckField({ label, value, onChange }: CheckFieldProps) {
  return (
    <label class="choice">
      <input type="checkbox" checked={value} onChange={(event) => onChange(event.currentTarget.checked)} />
      {label}
    </label>
  );
}
