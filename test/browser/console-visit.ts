import type { Browser, HTTPRequest, Page } from "puppeteer-core";
import type { Test } from "tap";
import { encodeId } from "#domain";
import type { ConsoleRole } from "#publisher-db";
import { DEADLINE_MS, openPage, type WatchedPage } from "./browser.ts";
import type { ConsoleScene } from "./console-scene.ts";

export interface Visit extends WatchedPage {
  /** Goes to a path below the base by loading it anew, and waits until the page shows something. */
  goTo(path: string): Promise<void>;
  /** The text of what is shown, without the navigation. */
  text(): Promise<string>;
}

/** Somebody with a role, let in by a link, in a browser profile of its own. */
export async function visitAs(
  t: Test,
  browser: Browser,
  scene: ConsoleScene,
  role: ConsoleRole,
): Promise<Visit> {
  const origin = scene.console.url;
  const watched = await openPage(t, browser, { origin });
  const { page } = watched;
  await page.setViewport({ width: 1200, height: 800 });
  await page.goto(await scene.link(role));
  await page.waitForSelector(".frame");
  if (role !== "support") await choose(page, scene.pipeline.publisher.organisationId);
  return {
    ...watched,
    async goTo(path) {
      await page.goto(origin + path.replace(/^\//, ""));
      await isShown(page);
    },
    text: () => textOf(page),
  };
}

/** Chooses an organisation. @param uuid of the organisation */
export async function choose(page: Page, uuid: string): Promise<void> {
  await page.select(".who select", encodeId("org", uuid));
}

const textOf = (page: Page) =>
  page.$eval("main", (main) => (main as unknown as { innerText: string }).innerText);

/** By itself puppeteer looks at every frame, which keeps a core busy. */
const LOOK_MS = 50;

/** Waits until there is a page and nothing in it is loading. */
export async function isShown(page: Page): Promise<void> {
  await page.waitForFunction(
    `document.querySelector("main")?.childElementCount > 0 && document.querySelector("main .loading") === null`,
    { timeout: DEADLINE_MS, polling: LOOK_MS },
  );
}

/** Waits until the page shows a text. */
export async function shows(page: Page, text: string | RegExp): Promise<void> {
  const pattern = typeof text === "string" ? text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&") : text.source;
  await page
    .waitForFunction(`new RegExp(${JSON.stringify(pattern)}).test(document.body.innerText)`, {
      timeout: DEADLINE_MS,
      polling: LOOK_MS,
    })
    .catch(async (cause) => {
      throw new Error(`the page does not show ${pattern}, but: ${await textOf(page)}`, { cause });
    });
}

/** Presses the button or link with these words; the first one within `place`. */
export async function press(page: Page, words: string, place = "body"): Promise<void> {
  const found = await page.waitForSelector(
    `${place} ::-p-xpath(.//*[self::button or self::a][normalize-space()=${JSON.stringify(words)}])`,
  );
  await found?.click();
}

/** Gives the reason in the dialog that is open, and confirms. Waits until it is done with. */
export async function giveReason(page: Page, reason: string): Promise<void> {
  const field = await page.waitForSelector("dialog[open] textarea");
  await field?.type(reason);
  await page.click("dialog[open] button[type=submit]");
  await page.waitForSelector("dialog[open]", { hidden: true });
}

/** What becomes of a question of the page to the console. */
export type Fate = "pass" | "hold" | { readonly status: number; readonly body: object };

/** Decides about the page's questions from now on. @returns what lets those go on that are held */
export async function intercept(page: Page, fateOf: (route: string) => Fate): Promise<{ release(): void }> {
  const held: HTTPRequest[] = [];
  let isReleased = false;
  await page.setRequestInterception(true);
  page.on("request", (request) => {
    const [, route = ""] = /\/api\/(.*)$/.exec(request.url()) ?? [];
    const fate = isReleased || route === "" ? "pass" : fateOf(route);
    if (fate === "hold") held.push(request);
    else if (fate === "pass") void request.continue();
    else {
      const { status, body } = fate;
      void request.respond({ status, contentType: "application/json", body: JSON.stringify(body) });
    }
  });
  return {
    release() {
      isReleased = true;
      for (const request of held.splice(0)) void request.continue();
    },
  };
}
