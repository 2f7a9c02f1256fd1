import { nkeys } from "@nats-io/transport-node";
import { natsRights } from "#nats";
import type { NatsUser } from "#test-support";

type KeyPair = ReturnType<typeof nkeys.createUser>;

const UNLIMITED = { subs: -1, data: -1, payload: -1 };
const ACCOUNT_LIMITS = { ...UNLIMITED, imports: -1, exports: -1, wildcards: true, conn: -1, leaf: -1 };
const STORAGE = { mem_storage: -1, disk_storage: -1, streams: -1, consumer: -1 };

/**
 * An operator with one account and one user, as `nsc` makes them: the server's configuration, and the text of
 * the user's .creds file, with the rights of one of our services.
 */
export function makeCreds(user: NatsUser): { readonly config: string; readonly creds: string } {
  const [operator, account, system] = [nkeys.createOperator(), nkeys.createAccount(), nkeys.createAccount()];
  const person = nkeys.createUser();
  const rights = natsRights(user, { prefix: "", partitions: 2 });
  const userJwt = token(account, person, user, {
    ...UNLIMITED,
    pub: { allow: rights.publish },
    sub: { allow: rights.subscribe },
    type: "user",
  });
  const accountJwt = (keys: KeyPair, name: string, storage: object) =>
    token(operator, keys, name, { limits: { ...ACCOUNT_LIMITS, ...storage }, type: "account" });
  const config = `operator: ${token(operator, operator, "O", { type: "operator" })}
system_account: ${system.getPublicKey()}
resolver: MEMORY
resolver_preload {
  ${account.getPublicKey()}: ${accountJwt(account, "STAMPEDE", STORAGE)}
  ${system.getPublicKey()}: ${accountJwt(system, "SYS", {})}
}
`;
  const seed = Buffer.from(person.getSeed()).toString();
  const creds = `-----BEGIN NATS USER JWT-----
${userJwt}
------END NATS USER JWT------

-----BEGIN USER NKEY SEED-----
${seed}
------END USER NKEY SEED------
`;
  return { config, creds };
}

function token(issuer: KeyPair, subject: KeyPair, name: string, nats: object): string {
  const claims = {
    jti: name,
    iat: Math.floor(Date.now() / 1000),
    iss: issuer.getPublicKey(),
    name,
    sub: subject.getPublicKey(),
    nats: { ...nats, version: 2 },
  };
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const content = `${encode({ typ: "JWT", alg: "ed25519-nkey" })}.${encode(claims)}`;
  return `${content}.${Buffer.from(issuer.sign(Buffer.from(content))).toString("base64url")}`;
}
