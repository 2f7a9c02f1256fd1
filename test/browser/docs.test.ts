import type { Browser, Page } from "puppeteer-core";
import t from "tap";
import { type Pipeline, startPipeline } from "#test-support";
import { DEADLINE_MS, launchBrowser, NO_BROWSER, openPage, type WatchedPage } from "./browser.ts";

const skip = NO_BROWSER;

let pipeline: Pipeline;
let browser: Browser;
/** One page for all tests, in this order: to draw every operation takes seconds. */
let watched: WatchedPage;

t.before(async () => {
  if (skip) return;
  pipeline = await startPipeline({ begin: ["edge"] });
  browser = await launchBrowser();
  watched = await openPage(t, browser, { origin: `${pipeline.edge.url}/` });
  await watched.page.goto(`${pipeline.edge.url}/docs`);
  await watched.page.waitForSelector(".opblock");
});
t.teardown(async () => {
  await browser?.close();
  await pipeline?.stop();
});

t.test("docs - a call without a token is refused, and the page shows how", { skip }, async (t) => {
  const { page } = watched;
  const answer = await execute(page, "member-memberList", "{}");
  t.equal(answer.status, "401");
  t.match(answer.body, '"code": "authentication_error"');
});

t.test("docs - it shows every operation, and a call with a token succeeds", { skip }, async (t) => {
  const { page, complaints } = watched;
  const operations = await page.$$eval(".opblock", (blocks) => blocks.length);
  const { paths, webhooks } = (await (await fetch(`${pipeline.edge.url}/openapi.json`)).json()) as {
    paths: object;
    webhooks: object;
  };
  t.equal(operations, Object.keys(paths).length + Object.keys(webhooks).length);

  await enterToken(page, pipeline.publisher.token);
  const answer = await execute(page, "member-base-memberBaseCreate", '{"name":"From the page"}');
  t.equal(answer.status, "200");
  t.match(answer.body, '"name": "From the page"');
  const listed = await execute(page, "member-base-memberBaseList", "{}");
  t.equal(listed.status, "200");
  t.match(listed.body, '"name": "From the page"');
  t.strictSame(complaints, []);
});

t.test("docs - schemas and references of all operations show without an error", { skip }, async (t) => {
  const { page, complaints } = watched;
  // Open since the call without a token: to open an operation takes a second.
  const opened = await page.$("#operations-member-memberList .responses-table:not(.live-responses-table)");
  t.ok(opened);
  await page.click("#operations-transaction-transactionIngest .opblock-summary-control");
  await page.waitForSelector("#operations-transaction-transactionIngest .responses-table");
  t.equal(await page.$$eval(".errors-wrapper", (errors) => errors.length), 0);
  t.strictSame(complaints, []);
});

t.test("docs - a script or an image that is not part of the page is not loaded", { skip }, async (t) => {
  const { page, complaints } = watched;
  await page.evaluate(`
    const script = document.createElement("script");
    script.textContent = "document.title = 'inline script ran'";
    document.body.append(script);
    const image = document.createElement("img");
    image.src = "http://127.0.0.1:9/elsewhere.png";
    document.body.append(image);
  `);
  await page.waitForNetworkIdle({ timeout: DEADLINE_MS });
  t.equal(await page.title(), "Stampede publisher API");
  t.ok(
    complaints.some((complaint) => /script/i.test(complaint) && /Content Security Policy/.test(complaint)),
  );
  t.ok(complaints.some((complaint) => /elsewhere\.png/.test(complaint)));
});

async function enterToken(page: Page, token: string): Promise<void> {
  await page.click(".auth-wrapper .authorize");
  await page.waitForSelector(".auth-container input");
  await page.focus(".auth-container input");
  // As one input, here and below: after each, the page draws all operations again.
  await page.keyboard.sendCharacter(token);
  await page.click(".auth-container .authorize");
  await page.waitForSelector(".auth-container .btn-done");
  await page.click(".auth-container .btn-done");
}

/** "Try it" of one operation: opens it, writes the body, sends it, and reads the answer off the page. */
async function execute(page: Page, id: string, body: string): Promise<{ status: string; body: string }> {
  const block = `#operations-${id}`;
  await page.click(`${block} .opblock-summary-control`);
  const text = await page.waitForSelector(`${block} textarea.body-param__text`);
  // Selects the whole text, so that typing replaces it.
  await text?.focus();
  await page.keyboard.down("Control");
  await page.keyboard.press("a");
  await page.keyboard.up("Control");
  await page.keyboard.sendCharacter(body);
  await page.click(`${block} button.execute`);
  const live = `${block} .live-responses-table .response`;
  await page.waitForSelector(live);
  return {
    status: await page.$eval(`${live} .response-col_status`, (cell) => cell.textContent?.trim() ?? ""),
    body: await page.$eval(`${live} .response-col_description`, (cell) => cell.textContent ?? ""),
  };
}
