import { closeStore, connectStore, type Store } from "#postgres";

/** One connection, for as long as the work takes. */
export async function withDatabase(url: string, work: (store: Store) => Promise<void>): Promise<void> {
  const store = connectStore({ url, max: 1, applicationName: "stampede-cli" });
  try {
    await work(store);
  } finally {
    await closeStore(store);
  }
}
