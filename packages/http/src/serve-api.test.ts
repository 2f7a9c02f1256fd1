import t from "tap";
import { type CreateHttpServerOptions, createHttpServer } from "./serve-api.ts";
import { uwsInstallCommand } from "./uws-module.ts";

function options(more: Partial<CreateHttpServerOptions>): CreateHttpServerOptions {
  return {
    adapter: "auto",
    api: {
      admit: () => ({ sender: "", handle: (_body, respond) => respond({ status: 200, body: "{}" }) }),
    },
    wantedHeaders: [],
    onFault: () => undefined,
    onNotice: () => undefined,
    ...more,
  };
}

const withoutBinary = () => {
  throw new Error("only Node.js 16, 18 and 20 …");
};

t.test("auto - without a binary node:http serves, and one notice gives the reason and the remedy", (t) => {
  const notices: string[] = [];
  const server = createHttpServer(
    options({ loadUws: withoutBinary, onNotice: (sentence) => notices.push(sentence) }),
  );
  t.equal(server.adapter, "node");
  t.equal(notices.length, 1);
  t.match(notices[0], /no binary for Node .*npm install uNetworking\/uWebSockets\.js#v20\.\d+\.0/);
  t.end();
});

t.test("auto - a package that is not installed is named as such", (t) => {
  const notices: string[] = [];
  const notInstalled = () => {
    throw Object.assign(new Error("Cannot find module 'uWebSockets.js'"), { code: "MODULE_NOT_FOUND" });
  };
  createHttpServer(options({ loadUws: notInstalled, onNotice: (sentence) => notices.push(sentence) }));
  t.match(notices[0], /^uWebSockets\.js is not installed;/);
  t.end();
});

t.test("uws - without a binary it is an error with a code", (t) => {
  t.throws(() => createHttpServer(options({ adapter: "uws", loadUws: withoutBinary })), {
    name: "HttpServerError",
    code: "uws_unavailable",
  });
  t.end();
});

t.test("node - uWebSockets.js is not even looked for", (t) => {
  const server = createHttpServer(
    options({ adapter: "node", loadUws: withoutBinary, onNotice: () => t.fail("no notice") }),
  );
  t.equal(server.adapter, "node");
  t.end();
});

t.test("install command - the release that has a binary for the Node at hand", (t) => {
  t.equal(uwsInstallCommand("22.11.0"), "npm install uNetworking/uWebSockets.js#v20.52.0");
  t.equal(uwsInstallCommand("24.1.0"), "npm install uNetworking/uWebSockets.js#v20.52.0");
  t.equal(uwsInstallCommand("26.0.0"), "npm install uNetworking/uWebSockets.js#v20.67.0");
  t.end();
});
