import { runService } from "#runtime";
import { startRewards } from "./service.ts";

await runService("rewards", startRewards);
