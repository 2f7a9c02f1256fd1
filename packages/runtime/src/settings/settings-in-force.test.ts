import t from "tap";
import { makeEncryptionKey } from "../index.ts";
import { reportSettings } from "./read-settings.ts";
import { settingsInForce } from "./settings-in-force.ts";

t.test("settings in force - values that the start added are distinguished from given ones", async (t) => {
  const dir = t.testdir({ keys: `${makeEncryptionKey(new Date())}\n` });
  const given = {
    STAMPEDE_HTTP_PORT: "0",
    STAMPEDE_LOG_LEVEL: "warn",
    STAMPEDE_DRAIN_DELAY_MS: "2000",
    STAMPEDE_WEBHOOK_ALLOW_CIDRS: "10.0.0.0/8",
    STAMPEDE_ENCRYPTION_KEYS_FILE: `${dir}/keys`,
  };
  const handedOn = {
    ...given,
    DATABASE_URL: "postgres://u:hunter2@h/d",
    STAMPEDE_HTTP_PORT: "41233",
    STAMPEDE_DRAIN_DELAY_MS: "0",
    STAMPEDE_WEBHOOK_ALLOW_HTTP: "loopback",
    STAMPEDE_ENCRYPTION_KEYS: makeEncryptionKey(new Date()),
    STAMPEDE_ENCRYPTION_KEYS_FILE: undefined,
  };
  const kept = new Map<string, unknown>([
    ["STAMPEDE_DATA_DIR", "/var/lib/stampede"],
    ["STAMPEDE_DRAIN_DELAY_MS", 2000],
  ]);
  const rows = settingsInForce(reportSettings(given).rows, handedOn, kept);
  const row = (key: string) => rows.find((one) => one.key === key);
  t.strictSame(
    rows.map(({ key }) => key),
    reportSettings({}).rows.map(({ key }) => key),
  );
  t.match(row("DATABASE_URL"), { value: "set", origin: "all-in-one" });
  t.match(row("STAMPEDE_HTTP_PORT"), { value: 41233, origin: "all-in-one" });
  t.match(row("STAMPEDE_WEBHOOK_ALLOW_HTTP"), { value: "loopback", origin: "all-in-one" });
  t.match(row("STAMPEDE_WEBHOOK_ALLOW_CIDRS"), { value: ["10.0.0.0/8"], origin: "environment" });
  t.match(row("STAMPEDE_LOG_LEVEL"), { value: "warn", origin: "environment" });
  t.match(row("STAMPEDE_PLATFORM_PORT"), { value: 8090, origin: "default" });
  t.match(row("STAMPEDE_ENCRYPTION_KEYS"), { value: "set", origin: "file", file: `${dir}/keys` });
  t.match(row("STAMPEDE_DRAIN_DELAY_MS"), { value: 2000, origin: "environment" });
  t.match(row("STAMPEDE_DATA_DIR"), { value: "/var/lib/stampede", origin: "default" });
  t.notMatch(JSON.stringify(rows), "hunter2");
});
