import { accountsConf } from "#nats";

/** The committed users and rights of NATS, from the root of the checkout. */
export const NATS_ACCOUNTS_FILE = "deploy/nats/accounts.conf";

/** More than anybody begins with; `stampede nats-accounts` writes it for another number. */
const PARTITIONS = 16;

/** What `NATS_ACCOUNTS_FILE` should hold. */
export function natsAccounts(): string {
  return accountsConf({ prefix: "", partitions: PARTITIONS });
}
