import { useState } from "preact/hooks";
import { Link } from "../frame/router.tsx";

interface IdProps {
  readonly id: string;
  /** The path of a link, below the base. */
  readonly to?: string | undefined;
}

const SHOWN_MS = 1500;

/** A whole id in the fixed-width face, with a button that copies it. */
export function Id({ id, to }: IdProps) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(id);
    setCopied(true);
    setTimeout(() => setCopied(false), SHOWN_MS);
  };
  return (
    <span class="id">
      {to === undefined ? <code>{id}</code> : <Link to={to}>{<code>{id}</code>}</Link>}
      <button type="button" class="copy" aria-label={`Copy ${id}`} onClick={copy}>
        {isCopied ? "copied" : "copy"}
      </button>
    </span>
  );
}
