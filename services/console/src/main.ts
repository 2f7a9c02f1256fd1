import { runService } from "#runtime";
import { startConsole } from "./service.ts";

await runService("console", startConsole);
