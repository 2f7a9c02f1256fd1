import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "puppeteer-core";
import t from "tap";
import { transactionIdentifiers } from "#domain";
import { DEADLINE_MS, launchBrowser, NO_BROWSER, openPage } from "./browser.ts";
import { CARD, type ConsoleScene, DEAD_LETTERS, mendDatabase, setConsoleScene } from "./console-scene.ts";
import {
  choose,
  giveReason,
  intercept,
  isShown,
  press,
  shows,
  type Visit,
  visitAs,
} from "./console-visit.ts";

t.setTimeout(900_000);

const skip = NO_BROWSER;
/** With CONSOLE_PICTURES=1 the pictures of docs/console.md are made anew. */
const PICTURES = fileURLToPath(new URL("../../../docs/pictures/", import.meta.url));
const makesPictures = process.env.CONSOLE_PICTURES === "1";

let scene: ConsoleScene;
let browser: Browser;

t.before(async () => {
  if (skip) return;
  [scene, browser] = await Promise.all([setConsoleScene(t), launchBrowser()]);
});
t.teardown(() => browser?.close());

/** Every page, by its path, and what has to stand on it. */
const PAGES: ReadonlyArray<readonly [name: string, path: () => string, expected: RegExp]> = [
  ["live", () => "/live", /No process is asked/],
  ["find", () => "/find", /Find/],
  ["found", () => `/find/${encodeURIComponent("ada@example.com")}`, /[Mm]ember/],
  ["purchase", () => `/purchase/${scene.stamped.external_id}`, /Stamp \d of 5/],
  ["purchase-without", () => `/purchase/${scene.unstamped.external_id}`, /No stamp/],
  ["member", () => `/member/${scene.memberId}`, /Coffee card/],
  ["webhooks", () => "/webhooks", /Loyalty app[\s\S]*Old till/],
  ["webhook", () => `/webhook/${scene.webhookId}`, /Loyalty app[\s\S]*answered 200/],
  ["webhook-failing", () => `/webhook/${scene.failingWebhookId}`, /failing[\s\S]*answered 503/],
  ["dead-letters", () => "/dead-letters", /poison_event/],
  ["dead-letters-of-group", () => "/dead-letters/INGEST/poison_event", /23514/],
  ["dead-letter", () => "/dead-letter/1", /poison_event[\s\S]*M-REFUSED/],
  ["programmes", () => "/programmes", /Coffee card/],
  ["deals", () => "/programmes/deals", /Ten per cent this month/],
  ["retailers", () => "/programmes/retailers", /Coffee Corner/],
  ["programme", () => `/programme/program/${scene.programId}`, /What it gives[\s\S]*Dry run/],
  ["audit", () => "/audit", /transaction\/trace/],
];

t.test(
  "console - every page shows what there is, and neither complains nor asks anybody else",
  { skip },
  async (t) => {
    const { page, complaints, goTo } = await visitAs(t, browser, scene, "administrator");
    for (const [name, path, expected] of PAGES) {
      await goTo(path());
      await shows(page, expected);
      t.match(await page.title(), /Stampede/, name);
      await takePicture(page, name);
      for (const [device, width] of [
        ["at 200 %", 600],
        ["on a phone", 360],
      ] as const) {
        await page.setViewport({ width, height: 800 });
        const overflow = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
        t.ok(Number(overflow) <= 0, `${name} ${device} is ${overflow} pixels too wide`);
      }
      await page.setViewport({ width: 1200, height: 800 });
    }
    t.strictSame(complaints.filter(isFault), []);
  },
);

/** Find asks for a purchase of the name that it is given too: where there is none that is a 404, which the browser notes. */
function isFault(complaint: string): boolean {
  return !/publisher\.v1\/transaction\/get: 404$|status of 404 \(Not Found\)$/.test(complaint);
}

t.test(
  "console - what it answers holds no secret, no card data and no whole identifier",
  { skip },
  async (t) => {
    const { page, goTo } = await visitAs(t, browser, scene, "administrator");
    const answers: string[] = [];
    page.on("response", async (response) => {
      if (response.url().includes("/api/")) answers.push(await response.text().catch(() => ""));
    });
    for (const [, path] of PAGES) await goTo(path());
    const { auth_code: authCode, network, bin, merchant_id: merchantId } = scene.stamped;
    const { six, eight } = transactionIdentifiers({ authCode, network, bin, merchantId });
    const secrets = [
      CARD.authCode,
      CARD.bin,
      CARD.bin.slice(0, 6),
      six,
      eight,
      scene.pipeline.publisher.token,
    ];
    t.ok(answers.length >= PAGES.length);
    for (const secret of secrets)
      t.notOk(
        answers.some((answer) => answer.includes(String(secret))),
        `${secret}`,
      );
    t.notOk(answers.some((answer) => /stp_live_|whsec_/.test(answer)));
  },
);

t.test("console - it is small, and quickly there", { skip }, async (t) => {
  const { page } = await openPage(t, browser, { origin: scene.console.url });
  const session = await page.createCDPSession();
  await session.send("Network.enable");
  await session.send("Network.setCacheDisabled", { cacheDisabled: true });
  let bytes = 0;
  let headers = 0;
  const heads = new Map<string, number>();
  session.on("Network.responseReceived", ({ requestId, response }) => {
    if (!response.url.includes("/api/")) heads.set(requestId, response.encodedDataLength);
  });
  session.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
    const head = heads.get(requestId);
    if (head === undefined) return;
    headers += head;
    bytes += encodedDataLength - head;
  });
  await page.goto(await scene.link("administrator"), { waitUntil: "networkidle2" });
  await page.waitForSelector(".frame");
  const paint = await page.evaluate("performance.getEntriesByName('first-contentful-paint')[0]?.startTime");
  t.comment(
    `${bytes} bytes and ${headers} of headers on the wire, first paint after ${Math.round(Number(paint))} ms`,
  );
  t.ok(bytes > 10_000, "it was measured");
  t.ok(bytes < 150 * 1024, `${bytes} bytes on the wire`);
});

t.test("console - each state of a page has a face", { skip }, async (t) => {
  await t.test("nobody is in without a link", async (t) => {
    const { page } = await openPage(t, browser, { origin: scene.console.url });
    await page.goto(`${scene.console.url}webhooks`);
    await shows(page, "You are not signed in");
    await shows(page, "stampede console link");
  });

  await t.test("empty: an organisation of which there is nothing, and nothing of another's", async (t) => {
    const { page, goTo, text } = await visitAs(t, browser, scene, "administrator");
    await choose(page, scene.emptyOrganisationId);
    for (const path of ["/webhooks", "/dead-letters"]) {
      await goTo(path);
      await page.waitForSelector(".empty");
      t.notMatch(await text(), /Loyalty app|poison_event/, path);
    }
    await goTo(`/webhook/${scene.webhookId}`);
    await shows(page, "There is no such webhook");
  });

  await t.test("loading, and then what there is", async (t) => {
    const { page } = await visitAs(t, browser, scene, "operator");
    const { release } = await intercept(page, (route) => (route.endsWith("webhook/list") ? "hold" : "pass"));
    await page.goto(`${scene.console.url}webhooks`);
    await page.waitForSelector(".loading");
    release();
    await shows(page, "Loyalty app");
    t.equal(await page.$(".loading"), null);
  });

  await t.test("failing, with a way to try again", async (t) => {
    const { page } = await visitAs(t, browser, scene, "operator");
    const error = { code: "unavailable", message: "the till is away", data: {}, trace_id: "0".repeat(32) };
    const { release } = await intercept(page, (route) =>
      route.endsWith("webhook/list") ? { status: 503, body: { error } } : "pass",
    );
    await page.goto(`${scene.console.url}webhooks`);
    await page.waitForSelector(".message-failed");
    await shows(page, "the till is away");
    release();
    await press(page, "Try again");
    await shows(page, "Loyalty app");
    t.equal(await page.$(".message-failed"), null);
  });

  await t.test(
    "forbidden: support does not see what is for operators, not even by its address",
    async (t) => {
      const { page, goTo, text } = await visitAs(t, browser, scene, "support");
      const navigation = await page.$eval("nav", (nav) => nav.textContent ?? "");
      t.notMatch(navigation, /Dead letters|Programmes/);
      await goTo("/dead-letters");
      t.match(await text(), /not for your role/);
      await goTo(`/webhook/${scene.webhookId}`);
      t.notMatch(await text(), /Pause/);
      const error = {
        code: "authorization_error",
        message: "this is for the role operator",
        data: {},
        trace_id: "",
      };
      await intercept(page, (route) =>
        route.endsWith("webhook/list") ? { status: 403, body: { error } } : "pass",
      );
      await page.goto(`${scene.console.url}webhooks`);
      await page.waitForSelector(".message-forbidden");
    },
  );

  await t.test("thousands of rows: all can be had, and the page stays quick", async (t) => {
    const { page, goTo } = await visitAs(t, browser, scene, "operator");
    await goTo(`/member/${scene.busyMemberId}`);
    const rows = () => page.$$eval("tbody tr", (all) => all.length);
    await page.waitForSelector("button.more");
    for (let before = 0; (await page.$("button.more")) !== null; before = await rows()) {
      await press(page, "Show more");
      await page.waitForFunction(
        `document.querySelectorAll("tbody tr").length > ${before} && document.querySelector("button.more:disabled") === null`,
      );
    }
    t.ok((await rows()) >= 3000, `${await rows()} rows`);
    const ms = await page.evaluate(`new Promise((resolve) => {
      const from = performance.now();
      scrollTo(0, document.body.scrollHeight);
      requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.now() - from)));
    })`);
    t.comment(`scrolling past ${await rows()} rows took ${Math.round(Number(ms))} ms`);
  });
});

t.test(
  "console - what an operator does takes effect, and is in the audit with its reason",
  { skip },
  async (t) => {
    const visit = await visitAs(t, browser, scene, "administrator");
    const { page, complaints, goTo } = visit;

    await t.test("a webhook is tested, paused, enabled and told again", async () => {
      await goTo(`/webhook/${scene.webhookId}`);
      await press(page, "Test");
      await giveReason(page, "is the app up? #1");
      await shows(page, "The test arrived: answered 200");
      await press(page, "Pause");
      await giveReason(page, "the app is being moved #2");
      await shows(page, "It is paused.");
      await press(page, "Enable");
      await giveReason(page, "the app has moved #3");
      await shows(page, "It is enabled.");
      await press(page, "Replay");
      const allOfATime = await page.waitForSelector("dialog[open] input[type=radio]:not(:checked)");
      await allOfATime?.click();
      await giveReason(page, "it lost an hour #4");
      await shows(page, /\d+ events go out again/);
      await inAudit(visit, ["webhook/test", "#1"], ["webhook/update", "#2"], ["webhook/update", "#3"]);
      await inAudit(visit, ["webhook.delivery/replay", "#4"]);
    });

    await t.test("a webhook that fails is tried at once", async () => {
      await goTo(`/webhook/${scene.failingWebhookId}`);
      await press(page, "Retry now");
      await giveReason(page, "the till is up again? #12");
      await shows(page, "The next attempt is made now.");
      await inAudit(visit, ["webhook/retry", "#12"]);
    });

    await t.test("a delivery shows every attempt with its answer", async () => {
      await goTo(`/webhook/${scene.failingWebhookId}`);
      await page.click("tbody tr a");
      await shows(page, "the till is being restarted");
      await shows(page, /answered 503/);
    });

    await t.test("dead letters are put back once the cause is mended, and discarded", async (t) => {
      await goTo("/dead-letters");
      await press(page, "Put back");
      await giveReason(page, "not mended yet #5");
      await shows(page, `${DEAD_LETTERS} letters put back.`);
      // They die again, each as another letter.
      await waitForLetters(visit, DEAD_LETTERS);
      await goTo("/dead-letters/INGEST/poison_event");
      await page.click("tbody tr a");
      await press(page, "Discard");
      await giveReason(page, "the member has left #6");
      await shows(page, "1 letter discarded.");
      await mendDatabase(scene);
      await goTo("/dead-letters");
      await press(page, "Put back");
      await giveReason(page, "mended #7");
      await shows(page, `${DEAD_LETTERS - 1} letters put back.`);
      await shows(page, "There are none");
      t.equal((await stored()).length, DEAD_LETTERS - 1);
      await inAudit(visit, ["dead-letters/redrive", "#5"], ["dead-letters/discard", "#6"]);
      await inAudit(visit, ["dead-letters/redrive", "#7"]);
    });

    await t.test("a program is tried, and changed; a deal is made and removed", async () => {
      await goTo(`/programme/program/${scene.programId}`);
      await press(page, "Try it");
      await shows(page, /would have counted, \d+ of them by members enrolled in it/);
      await page.$eval(".dry-run", (result) => result.scrollIntoView({ block: "center" }));
      await takePicture(page, "dry-run");
      await retype(page, "Stamps that make a full card", "6");
      await press(page, "Save");
      await giveReason(page, "one more stamp #8");
      await shows(page, "Saved.");
      await goTo("/programme/deal/new");
      await press(page, "Save");
      await shows(page, "at least one is needed");
      await retype(page, "Name", "Five per cent");
      await retype(page, "Per cent of the purchase", "5");
      await retype(page, "Merchant ids", "M-COFFEE-1");
      await retype(page, "Headline", "Five per cent off");
      await retype(page, "Picture", "https://example.com/five.jpg");
      await press(page, "Try it");
      await shows(page, "It would have given");
      await press(page, "Save");
      await giveReason(page, "for the fair #9");
      await shows(page, "Five per cent");
      await press(page, "Remove");
      await giveReason(page, "the fair is off #10");
      await shows(page, "New deal");
      await inAudit(visit, ["loyalty-program/upsert", "#8"], ["deal/upsert", "#9"], ["deal/delete", "#10"]);
    });

    await t.test("a retailer is made, and its token is not shown", async (t) => {
      await goTo("/programme/retailer/new");
      await retype(page, "Name", "Tea Room");
      await retype(page, "Merchant ids", "M-TEA-1");
      await press(page, "Save");
      await giveReason(page, "a new shop #11");
      await shows(page, "ret_");
      t.notMatch(await visit.text(), /stp_live_/);
      await inAudit(visit, ["retailer/upsert", "#11"]);
    });

    await t.test("a change without a reason is not made", async (t) => {
      await goTo(`/webhook/${scene.webhookId}`);
      await press(page, "Pause");
      await page.waitForSelector("dialog[open]");
      t.ok(await page.$("dialog[open] button[type=submit]:disabled"));
      await page.keyboard.press("Escape");
      await page.waitForSelector("dialog[open]", { hidden: true });
      await shows(page, "Enabled: events go out as they happen.");
    });
    t.strictSame(complaints, []);
  },
);

t.test("console - a keyboard is enough", { skip }, async (t) => {
  const { page, goTo } = await visitAs(t, browser, scene, "operator");
  await goTo("/webhooks");
  const focused = () => page.evaluate("document.activeElement?.innerText?.trim() ?? ''");
  await page.keyboard.press("Tab");
  t.equal(await focused(), "To the content");
  for (let steps = 0; (await focused()) !== "Dead letters" && steps < 20; steps++)
    await page.keyboard.press("Tab");
  const outline = await page.evaluate("getComputedStyle(document.activeElement).outlineStyle");
  t.not(outline, "none", "the focus is seen");
  await page.keyboard.press("Enter");
  await shows(page, "can never be handled");
  t.equal(
    await page.evaluate("document.activeElement?.id"),
    "content",
    "the keyboard goes on at the new page",
  );
});

t.test(
  "console - pictures for the document",
  { skip: skip || (!makesPictures && "only with CONSOLE_PICTURES=1") },
  async (t) => {
    const { page, goTo } = await visitAs(t, browser, scene, "administrator");
    await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: "dark" }]);
    await goTo(`/purchase/${scene.stamped.external_id}`);
    await takePicture(page, "purchase-dark");
    await page.setViewport({ width: 390, height: 780 });
    await goTo(`/member/${scene.memberId}`);
    await takePicture(page, "member-phone");
  },
);

async function takePicture(page: Page, name: string): Promise<void> {
  if (!makesPictures) return;
  mkdirSync(PICTURES, { recursive: true });
  // No more of it than there is to see.
  const bottom = await page.$eval("main > *", (shown) => Math.ceil(shown.getBoundingClientRect().bottom));
  const { width = 0, height = 0 } = page.viewport() ?? {};
  const clip = { x: 0, y: 0, width, height: Math.min(height, bottom + 24) };
  await page.screenshot({ path: `${PICTURES}console-${name}.png`, clip });
}

/** Each an action, and what its reason ends with: there is a line of the audit that holds both. */
async function inAudit(
  { page, goTo }: Visit,
  ...lines: ReadonlyArray<readonly [string, string]>
): Promise<void> {
  await goTo("/audit");
  await page.waitForSelector("tbody tr");
  const shown = await page.$$eval("tbody tr", (rows) => rows.map((row) => row.textContent ?? ""));
  for (const [action, reason] of lines) {
    const line = shown.find((text) => text.includes(action) && text.includes(reason) && text.includes("ok"));
    if (line === undefined)
      throw new Error(`the audit has no line of ${action} with ${reason}: ${shown.join("\n")}`);
  }
}

async function waitForLetters({ page, goTo }: Visit, count: number): Promise<void> {
  for (const deadline = Date.now() + DEADLINE_MS; Date.now() < deadline; ) {
    await goTo("/dead-letters");
    const cell = await page.$("tbody td:nth-child(3)");
    const shown = await cell?.evaluate((element) => element.textContent);
    if (shown === String(count)) return;
  }
  throw new Error(`there are not ${count} letters`);
}

function stored() {
  return scene.pipeline.store`select 1 from transactions where merchant_id = 'M-REFUSED'`;
}

/** Writes into the field with this label, in the place of what stands there. */
async function retype(page: Page, label: string, text: string): Promise<void> {
  const field = await page.waitForSelector(`::-p-aria([name="${label}"])`);
  await field?.evaluate((element) => (element as unknown as { select(): void }).select());
  await field?.type(text);
  await isShown(page);
}
