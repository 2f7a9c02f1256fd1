import { useState } from "preact/hooks";

interface JsonProps {
  readonly value: unknown;
  readonly title?: string;
}

/** JSON that can be opened; it becomes text only then. */
export function Json({ value, title = "JSON" }: JsonProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="json" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{title}</summary>
      {isOpen && <pre>{JSON.stringify(value, null, 2)}</pre>}
    </details>
  );
}
