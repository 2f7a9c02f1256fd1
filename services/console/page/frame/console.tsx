import { useCallback, useEffect, useState } from "preact/hooks";
import { type CallError, call, whenSignedOut } from "../api.ts";
import type { Session } from "../console-routes.ts";
import { Layout, Mark } from "./layout.tsx";
import { chooseOrganisation, chosenOrganisation } from "./organisation.ts";
import { SessionContext } from "./roles.ts";

type State =
  | { readonly is: "opening" }
  | { readonly is: "in"; readonly session: Session }
  | { readonly is: "out"; readonly error: CallError };

/** The whole page: it asks for the session first, then shows the layout. */
export function Console() {
  const [state, setState] = useState<State>({ is: "opening" });
  const open = useCallback(() => {
    openSession().then(
      (session) => setState({ is: "in", session }),
      (error) => setState({ is: "out", error }),
    );
  }, []);
  useEffect(() => whenSignedOut((error) => setState({ is: "out", error })), []);
  useEffect(open, [open]);
  if (state.is === "opening") return null;
  if (state.is === "out") return <SignedOut error={state.error} again={open} />;
  return (
    <SessionContext.Provider value={state.session}>
      <Layout />
    </SessionContext.Provider>
  );
}

/** Uses the link in the address, if there is one, and asks for the session. */
async function openSession(): Promise<Session> {
  const refused = await openLink();
  // A user who is signed in and follows an old link stays signed in.
  const session = await call("session", {}).catch((error) => {
    throw refused ?? error;
  });
  const { organisations } = session;
  const before = organisations.find(({ id }) => id === chosenOrganisation());
  chooseOrganisation((before ?? organisations[0])?.id);
  return session;
}

/** @returns the reason why the link opened no session */
async function openLink(): Promise<unknown> {
  const link = /^#link=([\w-]+)$/.exec(location.hash)?.[1];
  if (link === undefined) return undefined;
  // Removed from the address and the history at once: a link works once.
  history.replaceState(null, "", location.pathname);
  return call("session/open", { link }).then(
    () => undefined,
    (error) => error,
  );
}

/** For users without a session: why they have none, and how to get one. */
function SignedOut({ error, again }: { readonly error: CallError; readonly again: () => void }) {
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
