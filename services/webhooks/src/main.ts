import { runService } from "#runtime";
import { startWebhooks } from "./service.ts";

await runService("webhooks", startWebhooks);
