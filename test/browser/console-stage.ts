/** One installation and one Chromium for all tests of a file: they cost as much as many visits. */
import type { Browser } from "puppeteer-core";
import t from "tap";
import { launchBrowser, NO_BROWSER } from "./browser.ts";
import { type ConsoleScene, setConsoleScene } from "./console-scene.ts";

t.setTimeout(900_000);

/** For the `skip` of each test. */
export const skip = NO_BROWSER;

/** Both are there when the first test begins. */
export let scene: ConsoleScene;
export let browser: Browser;

t.before(async () => {
  if (skip) return;
  [scene, browser] = await Promise.all([setConsoleScene(t), launchBrowser()]);
});
t.teardown(() => browser?.close());
