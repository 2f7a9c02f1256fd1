import t from "tap";
import { AWAY_EXIT_CODE, StartError } from "#runtime";
import { isServiceFault } from "./service-child.ts";

t.test("service child - kills, orderly ends and servers that are away are not its fault", async (t) => {
  for (const signal of ["SIGKILL", "SIGTERM", "SIGINT", "SIGHUP"] as const)
    t.notOk(isServiceFault({ code: null, signal }), signal);
  for (const code of [0, AWAY_EXIT_CODE]) t.notOk(isServiceFault({ code, signal: null }), String(code));
  t.notOk(isServiceFault(new StartError("service_failed", "PostgreSQL is away", { passes: true })));
  t.notOk(isServiceFault(new Error("fork failed")), "what the system does not allow at the moment");
});

t.test(
  "service child - a crash, and a start that fails in the same way each time, are its fault",
  async (t) => {
    for (const signal of ["SIGABRT", "SIGSEGV", "SIGBUS", "SIGILL"] as const)
      t.ok(isServiceFault({ code: null, signal }), signal);
    for (const code of [1, 134]) t.ok(isServiceFault({ code, signal: null }), String(code));
    t.ok(isServiceFault(new StartError("service_failed", "a setting is wrong")));
  },
);
