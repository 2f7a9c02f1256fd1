import { runService } from "#runtime";
import { startPlatform } from "./service.ts";

await runService("platform", startPlatform);
