import t from "tap";
import { explainListenError, StartError } from "./start-error.ts";

const explain = (code: string) =>
  explainListenError(
    Object.assign(new Error("listen failed"), { code }),
    "publisher API",
    "127.0.0.1",
    8080,
    "STAMPEDE_HTTP_PORT",
  );

t.test("start error - a taken port names the address and the setting that moves it", async (t) => {
  const error = explain("EADDRINUSE");
  t.type(error, StartError);
  t.match(error, {
    code: "port_taken",
    message:
      "127.0.0.1:8080 is taken: stop what listens there, or set STAMPEDE_HTTP_PORT for the publisher API",
  });
});

t.test("start error - a refused port names the reason and the setting that moves it", async (t) => {
  for (const code of ["EACCES", "EADDRNOTAVAIL"]) {
    t.match(explain(code), {
      code: "port_refused",
      message: `cannot listen on 127.0.0.1:8080 (${code}): set STAMPEDE_HTTP_PORT for the publisher API`,
    });
  }
});

t.test("start error - a server of ours gives Node's reason as its cause, or none", async (t) => {
  const explainServer = (cause?: object) =>
    explainListenError(
      Object.assign(new Error("cannot listen", { cause }), { code: "listen_failed" }),
      "publisher API",
      "127.0.0.1",
      8080,
      "STAMPEDE_HTTP_PORT",
    );
  t.match(explainServer({ code: "EADDRINUSE" }), { code: "port_taken" });
  t.match(explainServer({ code: "EACCES" }), { code: "port_refused", message: /\(EACCES\): set/ });
  t.match(explainServer(), {
    code: "port_refused",
    message:
      "cannot listen on 127.0.0.1:8080: stop what listens there, or set STAMPEDE_HTTP_PORT for the publisher API",
  });
});

t.test("start error - other faults pass through untouched", async (t) => {
  const fault = new Error("something else");
  t.equal(explainListenError(fault, "API", "::1", 1, "KEY"), fault);
});
