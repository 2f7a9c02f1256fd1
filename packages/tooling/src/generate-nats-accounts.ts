/* Writes deploy/nats/accounts.conf from the flow table; `npm run check` compares. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { NATS_ACCOUNTS_FILE, natsAccounts } from "./nats-accounts.ts";
import { ROOT } from "./root.ts";

writeFileSync(join(ROOT, NATS_ACCOUNTS_FILE), natsAccounts());
