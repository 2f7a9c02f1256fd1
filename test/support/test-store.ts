import { uuidv7 } from "uuidv7";
import { closeStore, connectStore, type Store } from "#postgres";
import { createOrganisation } from "#publisher-db";
import { createMemberbase } from "../../services/edge/src/members/memberbases.ts";
import { testServers } from "./test-servers.ts";

/** A store on a new database, closed after the last test. */
export async function testStore(max = 4): Promise<Store> {
  const servers = await testServers();
  const store = connectStore({ url: await servers.databaseUrl(), max, applicationName: "test" });
  // Imported only here, as in `testServers`.
  const { default: t } = await import("tap");
  t.teardown(() => closeStore(store));
  return store;
}

/** Makes an organisation; returns its id. */
export async function testOrganisation(store: Store): Promise<string> {
  const { id } = await createOrganisation(store, { id: uuidv7(), name: "test" });
  return id;
}

/** Makes a memberbase in a new organisation. */
export async function testMemberbase(
  store: Store,
): Promise<{ readonly organisationId: string; readonly memberbaseId: string }> {
  const organisationId = await testOrganisation(store);
  const { id } = await createMemberbase(store, { id: uuidv7(), organisationId, name: "test" });
  return { organisationId, memberbaseId: id };
}
