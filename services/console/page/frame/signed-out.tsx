import type { CallError } from "../api.ts";
import { Mark } from "./mark.tsx";

/** What somebody sees who is not in (any more), and how to get in. */
export function SignedOut({ error, again }: { readonly error: CallError; readonly again: () => void }) {
  const isUnknown = error.code === "authentication_error";
  return (
    <main class="signed-out">
      <Mark />
      <h1>{headline(error)}</h1>
      {isUnknown && error.reason !== "not_by_proxy" && error.reason !== "no_user" ? (
        <HowToGetIn />
      ) : (
        <p>{error.message}</p>
      )}
      <button type="button" onClick={again}>
        Try again
      </button>
    </main>
  );
}

function headline({ code, reason }: CallError): string {
  if (reason === "link_over") return "This link is used up, or too old";
  if (reason === "session_over") return "Your session is over";
  if (code === "authentication_error") return "You are not signed in";
  if (code === "authorization_error") return "You have no role here";
  if (code === "unreachable") return "The console does not answer";
  return "The console cannot let you in now";
}

function HowToGetIn() {
  return (
    <p>
      A link lets one browser in, once. Make one in a terminal on the machine where Stampede runs, and open it
      here:
      <code class="command">stampede console link</code>
    </p>
  );
}
