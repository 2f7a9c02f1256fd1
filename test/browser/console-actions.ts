import type { Page } from "puppeteer-core";
import t from "tap";
import { waitFor } from "#test-support";
import { DEADLINE_MS } from "./browser.ts";
import { DEAD_LETTERS, mendDatabase } from "./console-scene.ts";
import { scene, skip } from "./console-stage.ts";
import {
  followFirstRow,
  giveReason,
  holds,
  isGone,
  isShown,
  press,
  shows,
  type Visit,
  visitAs,
} from "./console-visit.ts";
import { takePicture } from "./take-picture.ts";

t.test(
  "console - an operator's action takes effect, and is in the audit with its reason",
  { skip },
  async (t) => {
    const visit = await visitAs(t, "administrator");
    const { page, complaints, follow } = visit;

    await t.test("a webhook is tested, paused and enabled, and its events are sent again", async () => {
      await follow(`/webhook/${scene.webhookId}`);
      await press(page, "Test");
      await giveReason(page, "is the app up? #1");
      await shows(page, "The test arrived: answered 200");
      await press(page, "Pause");
      await giveReason(page, "the app is being moved #2");
      await shows(page, "It is paused.");
      // The same button under another name: a user of the keyboard keeps the place.
      await holds(page, `document.activeElement.textContent === "Enable"`);
      await press(page, "Enable");
      await giveReason(page, "the app has moved #3");
      await shows(page, "It is enabled.");
      await press(page, "Replay");
      const allOfATime = await page.waitForSelector("dialog[open] input[type=radio]:not(:checked)");
      await allOfATime?.click();
      await giveReason(page, "it lost an hour #4");
      await shows(page, /\d+ events will be sent again/);
      await inAudit(visit, ["webhook/test", "#1"], ["webhook/update", "#2"], ["webhook/update", "#3"]);
      await inAudit(visit, ["webhook.delivery/replay", "#4"]);
    });

    await t.test("a webhook that fails is tried at once", async () => {
      await follow(`/webhook/${scene.failingWebhookId}`);
      await press(page, "Retry now");
      await giveReason(page, "the till is up again? #12");
      await shows(page, "The next attempt is made now.");
      await inAudit(visit, ["webhook/retry", "#12"]);
    });

    await t.test("a delivery shows every attempt with its answer", async () => {
      await follow(`/webhook/${scene.failingWebhookId}`);
      await followFirstRow(page);
      await shows(page, "the till is being restarted");
      await shows(page, /answered 503/);
    });

    await t.test("dead letters are put back once the cause is mended, and discarded", async () => {
      await follow("/dead-letters");
      await press(page, "Put back");
      await giveReason(page, "not mended yet #5");
      await shows(page, `${DEAD_LETTERS} letters put back.`);
      // They die again, each as another letter.
      await waitForLetters(visit, DEAD_LETTERS);
      await follow("/dead-letters/INGEST/poison_event");
      await followFirstRow(page);
      await press(page, "Discard");
      await giveReason(page, "the member has left #6");
      await shows(page, "1 letter discarded.");
      await mendDatabase(scene);
      await follow("/dead-letters");
      await press(page, "Put back");
      await giveReason(page, "mended #7");
      await shows(page, `${DEAD_LETTERS - 1} letters put back.`);
      await shows(page, "There are none");
      // They are in the stream again, and ingest applies them from there.
      await waitFor(async () => (await stored()).length === DEAD_LETTERS - 1, {
        message: "they are not applied",
      });
      await inAudit(visit, ["dead-letters/redrive", "#5"], ["dead-letters/discard", "#6"]);
      await inAudit(visit, ["dead-letters/redrive", "#7"]);
    });

    await t.test("a program is tried, and changed; a deal is made and removed", async () => {
      await follow(`/program/${scene.shop.programId}`);
      await press(page, "Try it");
      await shows(page, /would have counted, \d+ of them by members enrolled in it/);
      await page.$eval(".dry-run", (result) => result.scrollIntoView({ block: "center" }));
      await takePicture(page, "dry-run");
      await retype(page, "Stamps that make a full card", "6");
      await press(page, "Save");
      await giveReason(page, "one more stamp #8");
      await shows(page, "Saved.");
      await follow("/deal/new");
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
      await follow("/retailer/new");
      await retype(page, "Name", "Tea Room");
      await retype(page, "Merchant ids", "M-TEA-1");
      await press(page, "Save");
      await giveReason(page, "a new shop #11");
      await shows(page, "ret_");
      t.notMatch(await visit.text(), /stp_live_/);
      await inAudit(visit, ["retailer/upsert", "#11"]);
    });

    await t.test("a change without a reason is not made", async (t) => {
      await follow(`/webhook/${scene.webhookId}`);
      await press(page, "Pause");
      await page.waitForSelector("dialog[open]");
      t.ok(await page.$("dialog[open] button[type=submit]:disabled"));
      await page.keyboard.press("Escape");
      await isGone(page, "dialog[open]");
      await shows(page, "Enabled: events go out as they happen.");
    });
    t.strictSame(complaints, []);
  },
);

/** The actions, each with the end of its reason: one line of the audit holds both. */
async function inAudit(
  { page, follow }: Visit,
  ...lines: ReadonlyArray<readonly [string, string]>
): Promise<void> {
  await follow("/audit");
  await page.waitForSelector("tbody tr");
  const shown = await page.$$eval("tbody tr", (rows) => rows.map((row) => row.textContent ?? ""));
  for (const [action, reason] of lines) {
    const line = shown.find((text) => text.includes(action) && text.includes(reason) && text.includes("ok"));
    if (line === undefined)
      throw new Error(`the audit has no line of ${action} with ${reason}: ${shown.join("\n")}`);
  }
}

async function waitForLetters({ page, follow }: Visit, count: number): Promise<void> {
  const areThere = async () => {
    await follow("/dead-letters");
    await isShown(page);
    return (await page.$eval("tbody td:nth-child(3)", (cell) => cell.textContent)) === String(count);
  };
  await waitFor(areThere, { message: `there are not ${count} letters`, deadlineMs: DEADLINE_MS });
}

function stored() {
  return scene.pipeline.store`select 1 from transactions where merchant_id = 'M-REFUSED'`;
}

/** Writes into the field with this label, over its old text. */
async function retype(page: Page, label: string, text: string): Promise<void> {
  const field = await page.waitForSelector(`::-p-aria([name="${label}"])`);
  await field?.evaluate((element) => (element as unknown as { select(): void }).select());
  await field?.type(text);
  await isShown(page);
}
