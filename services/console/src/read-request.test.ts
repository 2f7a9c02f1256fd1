import t from "tap";
import { NO_API, openConsole, send } from "./test-console.ts";

t.test("another site cannot make a browser send a request that counts", async (t) => {
  const { url, visitor } = await openConsole(t, NO_API);
  const ada = await visitor("administrator");
  const { host, origin } = new URL(url);
  t.equal((await ada.post("session")).status, 200, "the page itself can");

  const foreign: ReadonlyArray<readonly [string, Readonly<Record<string, string | undefined>>]> = [
    ["a form or a simple request has no header of its own", { "stampede-console": undefined }],
    ["another value of it", { "stampede-console": "0" }],
    ["another site's origin", { origin: "https://evil.example" }],
    ["none, as from a document without one", { origin: "null" }],
    ["left out", { origin: undefined }],
    ["another port of this machine", { origin: "http://127.0.0.1:1" }],
    ["https instead of http", { origin: origin.replace("http", "https") }],
    ["a name of theirs that leads here", { host: "evil.example", origin: "http://evil.example" }],
    [
      "an origin that only looks like ours",
      { host: "localhost.evil.example", origin: "http://localhost.evil.example" },
    ],
  ];
  for (const [name, headers] of foreign) {
    const answer = await ada.post("session", {}, { headers });
    t.equal(answer.status, 403, name);
    t.equal(answer.headers["access-control-allow-origin"], undefined, name);
  }
  const form = await ada.post("session", {}, { headers: { "content-type": "text/plain" } });
  t.equal(form.status, 415, "a content type that a form can send");
  const preflight = await send(`${url}api/session`, "OPTIONS", {
    origin: "https://evil.example",
    "access-control-request-method": "POST",
  });
  t.equal(preflight.status, 405, "a preflight is refused");
  t.equal(preflight.headers["access-control-allow-origin"], undefined);

  const tunnel = { host: "localhost:9999", origin: "http://localhost:9999" };
  t.equal((await ada.post("session", {}, { headers: tunnel })).status, 200, "a tunnel has another port");
  t.equal((await send(`${url}api/session`, "GET", { host })).status, 404, "a GET calls no endpoint");
});

t.test("behind a proxy the origin is the configured one, not the host", async (t) => {
  const proxied = {
    ...NO_API,
    STAMPEDE_CONSOLE_PROXIES: "127.0.0.1/32",
    STAMPEDE_CONSOLE_ORIGIN: "https://bank.example",
    STAMPEDE_CONSOLE_GROUPS: "ops=operator",
  };
  const { url } = await openConsole(t, proxied);
  const ask = (headers: Record<string, string>) =>
    send(
      `${url}api/session`,
      "POST",
      {
        "content-type": "application/json",
        "stampede-console": "1",
        "x-forwarded-user": "ada",
        "x-forwarded-groups": "ops",
        ...headers,
      },
      "{}",
    );
  t.equal((await ask({ origin: "https://bank.example" })).status, 200);
  t.equal((await ask({ origin: "https://bank.example", host: "inner:8070" })).status, 200);
  t.equal((await ask({ origin: new URL(url).origin })).status, 403);
});
