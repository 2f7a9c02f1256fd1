import { closeStore, connectStore, type Store } from "#postgres";

/** Does some work over one connection, which is closed afterwards. */
export async function usingStore<T>(url: string, work: (store: Store) => Promise<T>): Promise<T> {
  const store = connectStore({ url, max: 1, applicationName: "bench" });
  try {
    return await work(store);
  } finally {
    await closeStore(store);
  }
}
