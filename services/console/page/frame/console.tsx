import { useCallback, useEffect, useState } from "preact/hooks";
import { type CallError, call, whenSignedOut } from "../api.ts";
import type { Session } from "../console-routes.ts";
import { Layout } from "./layout.tsx";
import { chooseOrganisation, chosenOrganisation } from "./organisation.ts";
import { SessionContext } from "./roles.ts";
import { SignedOut } from "./signed-out.tsx";

type State =
  | { readonly is: "opening" }
  | { readonly is: "in"; readonly session: Session }
  | { readonly is: "out"; readonly error: CallError };

/** The whole page: who one is comes first, then what one came for. */
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

/** Uses the link in the address, if there is one, and asks who one is. */
async function openSession(): Promise<Session> {
  const refused = await openLink();
  // Somebody who is in already, and follows an old link, stays in.
  const session = await call("session", {}).catch((error) => {
    throw refused ?? error;
  });
  const { organisations } = session;
  const before = organisations.find(({ id }) => id === chosenOrganisation());
  chooseOrganisation((before ?? organisations[0])?.id);
  return session;
}

/** @returns why the link let nobody in */
async function openLink(): Promise<unknown> {
  const link = /^#link=([\w-]+)$/.exec(location.hash)?.[1];
  if (link === undefined) return undefined;
  // Out of the address and the history at once: it is good for nothing any more.
  history.replaceState(null, "", location.pathname);
  return call("session/open", { link }).then(
    () => undefined,
    (error) => error,
  );
}
