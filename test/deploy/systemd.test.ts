import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t, { type Test } from "tap";
import { declaredSettings, SERVICE_NODE_FLAGS } from "#runtime";
import { checkSettings, drainTakesMs } from "./checked-settings.ts";
import { DEPLOY, NEED_ENCRYPTION_KEYS, parseEnvironment, readDeployed, SERVICES } from "./deploy-folder.ts";

/** systemd's own measure, from 0 (nothing to gain) to 10. A unit with no hardening is at 9.6. */
const EXPOSURE_MAX = 1.5;
/** The first version that judges units without running them. */
const SYSTEMD_MIN = 250;

const skip = systemdVersion() < SYSTEMD_MIN && `there is no systemd-analyze ${SYSTEMD_MIN} or later`;

t.test("systemd - the units are right by systemd's own check", { skip }, async (t) => {
  const { folder, units } = unitsOfAllServices(t);
  const verify = (names: readonly string[]) => {
    const paths = names.map((name) => join(folder, name));
    const { status, stderr } = spawnSync("systemd-analyze", ["verify", ...paths], { encoding: "utf8" });
    // Findings in this machine's other units are not ours.
    const findings = stderr.split("\n").filter((line) => line.includes("stampede"));
    return { status, findings };
  };
  t.strictSame(verify([...units, "stampede.target"]).findings, []);
  const broken = readFileSync(join(folder, "stampede@edge.service"), "utf8").replace("Restart=", "Restrat=");
  writeFileSync(join(folder, "stampede@broken.service"), broken);
  t.match(verify(["stampede@broken.service"]).findings, [/Restrat/], "a misspelt key is found");
});

t.test(`systemd - no unit's exposure is above ${EXPOSURE_MAX}`, { skip }, async (t) => {
  const { folder, units } = unitsOfAllServices(t);
  for (const unit of units) {
    const args = ["security", "--offline=true", "--no-pager", join(folder, unit)];
    const report = execFileSync("systemd-analyze", args, { encoding: "utf8" });
    const exposure = Number(/exposure level for \S+: ([\d.]+)/.exec(report)?.[1]);
    t.ok(exposure <= EXPOSURE_MAX, `${unit}: ${exposure}`);
  }
});

t.test("systemd - each service has the settings and secrets that it needs, and no others", async (t) => {
  const ports = new Map<string, string>();
  const secrets = new Set(declaredSettings().flatMap(({ key, secret }) => (secret ? [key] : [])));
  for (const service of SERVICES) {
    const unit = effectiveUnit(service);
    const env = {
      ...parseEnvironment(readDeployed("systemd/env/common.env")),
      ...parseEnvironment(readDeployed(`systemd/env/${service}.env`)),
      ...unit.environment,
    };
    t.strictSame(checkSettings(env).problems, [], `${service}: every setting is known and right`);
    t.equal(
      "STAMPEDE_ENCRYPTION_KEYS_FILE" in env,
      NEED_ENCRYPTION_KEYS.includes(service),
      `${service}: keys`,
    );
    t.strictSame(
      Object.keys(env).filter((key) => secrets.has(key)),
      [],
      `${service}: no secret in the environment`,
    );
    for (const value of Object.values(unit.environment)) {
      const credential = /^%d\/(.+)$/.exec(value)?.[1];
      if (credential !== undefined)
        t.ok(unit.credentials.includes(credential), `${service}: ${credential} is loaded`);
    }
    const taken = ports.get(env.STAMPEDE_OPS_PORT ?? "");
    t.equal(taken, undefined, `${service}: no other service has its operations port`);
    ports.set(env.STAMPEDE_OPS_PORT ?? "", service);
    const stopMs = Number(/^TimeoutStopSec=(\d+)s$/m.exec(unit.text)?.[1]) * 1000;
    t.ok(
      stopMs > drainTakesMs(env),
      `${service}: it may drain to its end (${stopMs} > ${drainTakesMs(env)} ms)`,
    );
  }
});

t.test("systemd - a service gets the flags of Node that npm start gives it", async (t) => {
  const [, flags] =
    /^ExecStart=\S+ (.*) \S+main\.js %i$/m.exec(readDeployed("systemd/stampede@.service")) ?? [];
  t.equal(flags, SERVICE_NODE_FLAGS.join(" "));
});

t.test("systemd - migrate runs behind the same walls as the services", async (t) => {
  const walls = (text: string) => text.slice(text.indexOf("ProtectSystem=")).split("\n\n")[0]?.split("\n");
  const isSetting = (line: string) => /^\w+=/.test(line);
  const service = walls(readDeployed("systemd/stampede@.service"))?.filter(isSetting);
  t.strictSame(walls(readDeployed("systemd/stampede-migrate.service"))?.filter(isSetting), service);
  t.ok((service?.length ?? 0) > 25);
});

/**
 * The units as an installation has them, the template once for each service. Node may be elsewhere on this
 * machine, and `verify` wants every program to exist.
 */
function unitsOfAllServices(t: Test): { folder: string; units: string[] } {
  const folder = mkdtempSync(join(tmpdir(), "stampede-units-"));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  cpSync(join(DEPLOY, "systemd"), folder, { recursive: true });
  const template = readDeployed("systemd/stampede@.service");
  for (const service of SERVICES) writeFileSync(join(folder, `stampede@${service}.service`), template);
  const units = readdirSync(folder).filter((name) => /^stampede.*[^@]\.service$/.test(name));
  for (const unit of units) {
    const text = readFileSync(join(folder, unit), "utf8");
    writeFileSync(join(folder, unit), text.replace("/usr/bin/node", process.execPath));
  }
  return { folder, units };
}

/** The template and a service's drop-ins. */
function effectiveUnit(service: string) {
  const dropIns = readdirSync(join(DEPLOY, "systemd"), { recursive: true, encoding: "utf8" })
    .filter((path) => path.startsWith(`stampede@${service}.service.d/`))
    .map((path) => readDeployed(`systemd/${path}`));
  const text = [readDeployed("systemd/stampede@.service"), ...dropIns].join("\n");
  const environment = [...text.matchAll(/^Environment=(\w+)=(.*)$/gm)].map(([, key, value]) => [key, value]);
  const credentials = [...text.matchAll(/^LoadCredential=([\w-]+):(.+)$/gm)].map(
    ([, name]) => name as string,
  );
  return { text, environment: Object.fromEntries(environment) as Record<string, string>, credentials };
}

function systemdVersion(): number {
  const { stdout } = spawnSync("systemd-analyze", ["--version"], { encoding: "utf8" });
  return Number(/^systemd (\d+)/.exec(stdout ?? "")?.[1] ?? 0);
}
