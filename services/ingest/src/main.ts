import { runService } from "#runtime";
import { startIngest } from "./service.ts";

await runService("ingest", startIngest);
