import type { Page } from "puppeteer-core";
import t from "tap";
import { transactionIdentifiers } from "#domain";
import { openPage } from "./browser.ts";
import { listedPages, MORE_VIEWS, PAGE_CASES, type PageCase, type View } from "./console-pages.ts";
import { CARD } from "./console-shop.ts";
import { browser, scene, skip } from "./console-stage.ts";
import { isShown, shows, visitAs } from "./console-visit.ts";
import { faultsByAxe } from "./page-axe.ts";
import { faultsOfDialog, faultsOfTabbing } from "./page-keyboard.ts";
import { faultsOfHead, faultsOfLooks, faultsOfWidths, widen } from "./page-looks.ts";
import { makesPictures, takePicture } from "./take-picture.ts";
import { isWild, nameWildly } from "./wild-names.ts";

const VIEWS: readonly View[] = [...Object.values(PAGE_CASES), ...MORE_VIEWS];

t.test("console - the tests know every page that it has", { skip }, async (t) => {
  const listed = listedPages().map(({ path }) => path);
  t.ok(listed.length >= 18, `${listed.length} pages are listed`);
  t.strictSame(Object.keys(PAGE_CASES).sort(), [...listed].sort());
});

/** The texts of all answers of the console to the tour below. */
const answers: string[] = [];

t.test(
  "console - every page shows its data, can be read and used by the keyboard, logs no error, and calls no other host; each dialog is opened, kept to and left by the keyboard",
  { skip },
  async (t) => {
    const { page, complaints, goTo } = await visitAs(t, "administrator");
    const areRead = readAnswers(page);
    for (const { at, picture, shows: expected, dialogs = [] } of VIEWS) {
      await goTo(at(scene));
      await shows(page, expected);
      await takePicture(page, picture);
      t.strictSame(await faultsOfHead(page), [], `${picture} says what it is`);
      t.strictSame(await faultsOfLooks(page), [], `${picture} can be read, at every width`);
      t.strictSame(await faultsOfTabbing(page), [], `the keyboard comes to all of ${picture}`);
      for (const words of dialogs) {
        const faults = await faultsOfDialog(page, words, () => faultsOfLooks(page));
        t.strictSame(faults, [], `${words} of ${picture}`);
      }
      await areRead();
    }
    t.strictSame(complaints.filter(isFault), []);
  },
);

/**
 * Reads each answer of the console as it comes.
 * @returns a function that waits until all are read: the browser forgets them when it loads another page
 */
function readAnswers(page: Page): () => Promise<unknown> {
  const reading: Promise<void>[] = [];
  page.on("response", (response) => {
    if (!response.url().includes("/api/")) return;
    const read = async () => void answers.push(await response.text());
    // The page may give a request up in the middle of its answer.
    reading.push(read().catch(() => {}));
  });
  return () => Promise.all(reading);
}

t.test("console - its answers hold no secret, no card data and no whole identifier", { skip }, (t) => {
  const { auth_code: authCode, network, bin, merchant_id: merchantId } = scene.stamped;
  const { six, eight } = transactionIdentifiers({ authCode, network, bin, merchantId });
  const secrets = [CARD.authCode, CARD.bin, CARD.bin.slice(0, 6), six, eight, scene.pipeline.publisher.token];
  t.ok(answers.length >= VIEWS.length);
  for (const secret of secrets)
    t.notOk(
      answers.some((answer) => answer.includes(String(secret))),
      `${secret}`,
    );
  t.notOk(answers.some((answer) => /stp_live_|whsec_/.test(answer)));
  t.end();
});

t.test(
  "console - with long, right-to-left and emoji names every page keeps its width, axe-core finds nothing, and the keyboard comes to all",
  { skip },
  async (t) => {
    const { page, complaints, goTo, follow } = await visitAs(t, "administrator");
    await nameWildly(page);
    await goTo("/webhooks");
    let wild = 0;
    for (const { at, picture } of VIEWS) {
      await follow(at(scene));
      await isShown(page);
      await takePicture(page, `${picture}-wild`);
      wild += Number(await isWild(page));
      for (const width of ["larger phone", "desk"] as const) {
        await widen(page, width);
        t.strictSame(await faultsByAxe(page), [], `${picture}, ${width}`);
      }
      t.strictSame(await faultsOfWidths(page), [], `${picture} keeps its width`);
      t.strictSame(await faultsOfTabbing(page), [], `the keyboard comes to all of ${picture}`);
    }
    t.ok(wild > VIEWS.length / 2, `${wild} of ${VIEWS.length} pages show such names`);
    t.strictSame(complaints.filter(isFault), []);
  },
);

/**
 * Find also looks for a purchase of the given name: if there is none, the answer is a 404, which the browser
 * notes.
 */
function isFault(complaint: string): boolean {
  return !/publisher\.v1\/transaction\/get: 404$|status of 404 \(Not Found\)$/.test(complaint);
}

t.test("console - the keyboard goes past the navigation, and on at each new page", { skip }, async (t) => {
  const { page, goTo } = await visitAs(t, "operator");
  await goTo("/webhooks");
  const focused = () => page.evaluate("document.activeElement.innerText.trim()");
  await page.keyboard.press("Tab");
  t.equal(await focused(), "To the content");
  t.ok(await page.evaluate("document.activeElement.getBoundingClientRect().top >= 0"), "it is seen");
  for (let steps = 0; (await focused()) !== "Dead letters" && steps < 20; steps++)
    await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await shows(page, "can never be handled");
  t.equal(await page.evaluate("document.activeElement.id"), "content");
});

t.test("console - a browser without a link is not let in", { skip }, async (t) => {
  const { page } = await openPage(t, browser, { origin: scene.console.url });
  await page.goto(`${scene.console.url}webhooks`);
  await shows(page, "You are not signed in");
  await shows(page, "stampede console link");
  t.strictSame(await faultsOfLooks(page), []);
});

t.test("console - a user without the operator's role sees no page of operators", { skip }, async (t) => {
  const { page, follow } = await visitAs(t, "support", { isBad: () => false });
  for (const { path, role } of listedPages()) {
    const { at, shows: expected } = PAGE_CASES[path] as PageCase;
    await follow(at(scene));
    if (role === "support") {
      await shows(page, expected);
      continue;
    }
    await shows(page, /or it is not for your role/);
    t.strictSame(await faultsOfHead(page), []);
  }
  t.notMatch(await page.$eval("nav", (nav) => nav.textContent), /Dead letters|Programs/);
});

t.test(
  "console - pictures of it in the dark and on a phone",
  { skip: skip || (!makesPictures && "only with CONSOLE_PICTURES") },
  async (t) => {
    const { page, goTo } = await visitAs(t, "administrator");
    await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: "dark" }]);
    await goTo(`/purchase/${scene.stamped.external_id}`);
    await takePicture(page, "purchase-dark");
    await page.setViewport({ width: 390, height: 780 });
    for (const { at, picture } of VIEWS) {
      await goTo(at(scene));
      await takePicture(page, `${picture}-phone`);
    }
  },
);

t.test("console - each fault of a page is found", { skip }, async (t) => {
  const { page, goTo } = await visitAs(t, "administrator");
  await goTo("/webhooks");
  await page.evaluate(`(() => {
    const [nav, lead, select] = ["nav a", ".lead", ".who select"].map((place) => document.querySelector(place));
    nav.tabIndex = -1;
    lead.style.color = "#999";
    lead.style.width = "700px";
    select.labels[0].querySelector("span").remove();
    for (const option of select.options) option.label = option.textContent = "";
    select.style.borderColor = "#ccc";
    select.style.outline = "none";
    document.title = "Stampede";
  })()`);
  t.match(await faultsOfHead(page), [/^Stampede has the headings \["Webhooks"\]$/]);
  const looks = (await faultsOfLooks(page)).join("\n");
  t.match(looks, /anywhere: select .* has no name/);
  t.match(looks, /light: the text of p\.lead .* has a contrast of 2\.6\d$/m);
  t.match(looks, /light: the edge of select .* has a contrast of 1\.6\d$/m);
  t.match(looks, /phone: the page is \d+ pixels too wide/);
  t.match(looks, /200 %: the page is \d+ pixels too wide/);
  t.notMatch(looks, /desk: /);
  t.strictSame(await faultsOfTabbing(page), [
    "Tab does not come to a “Live”",
    "one does not see that the focus is at select “”",
  ]);
});
