import { useEffect, useState } from "preact/hooks";

const KEY = "stampede-organisation";
const listeners = new Set<() => void>();

/** The organisation that this tab shows, `org_…`; undefined while none is chosen. */
export function chosenOrganisation(): string | undefined {
  return sessionStorage.getItem(KEY) ?? undefined;
}

export function chooseOrganisation(id: string | undefined): void {
  if (id === chosenOrganisation()) return;
  if (id === undefined) sessionStorage.removeItem(KEY);
  else sessionStorage.setItem(KEY, id);
  for (const listener of listeners) listener();
}

/** Renders again when another organisation is chosen. */
export function useChosenOrganisation(): string | undefined {
  const [chosen, setChosen] = useState(chosenOrganisation);
  useEffect(() => {
    const listener = () => setChosen(chosenOrganisation());
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
    };
  }, []);
  return chosen;
}
