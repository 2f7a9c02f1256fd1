import t from "tap";
import { natsVersionWarning } from "./nats-version.ts";

t.test("nats - versions that can lose acknowledged messages are named", async (t) => {
  for (const version of ["2.9.25", "1.4.1", "0.0.0"])
    t.match(natsVersionWarning(version), /cannot sync every write/);
  for (const version of ["2.10.20", "2.10.22"]) t.match(natsVersionWarning(version), /work-queue/);
  for (const version of ["2.10.0", "2.10.19", "2.10.23", "2.11.0", "2.14.0", "3.0.0"]) {
    t.equal(natsVersionWarning(version), undefined, version);
  }
});
