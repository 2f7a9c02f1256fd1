import { AuditPage } from "./audit/audit.tsx";
import { DeadLetterPage } from "./dead-letters/dead-letter.tsx";
import { DeadLettersPage } from "./dead-letters/dead-letters.tsx";
import { LettersOfGroupPage } from "./dead-letters/letters-of-group.tsx";
import { FindPage } from "./find/find.tsx";
import type { PageDefinition } from "./frame/page-definition.ts";
import { LivePage } from "./live/live-page.tsx";
import { MemberPage } from "./member/member.tsx";
import { DealPage, ProgramPage } from "./programs/offer-editor.tsx";
import { DealsPage, ProgramsPage, RetailersPage } from "./programs/programs.tsx";
import { RetailerPage } from "./programs/retailer.tsx";
import { PurchasePage } from "./purchase/purchase.tsx";
import { SessionsPage } from "./sessions/sessions.tsx";
import { DeliveryPage } from "./webhooks/delivery.tsx";
import { WebhookPage } from "./webhooks/webhook.tsx";
import { WebhooksPage } from "./webhooks/webhooks.tsx";

/** Every page, in the order of the navigation. The first that a user may see is also at `/`. */
export const PAGES: readonly PageDefinition[] = [
  { path: "/live", navigation: "Live", role: "support", component: LivePage },
  { path: "/find", navigation: "Find", role: "support", component: FindPage },
  { path: "/find/:query", role: "support", component: FindPage },
  { path: "/purchase/:externalId", role: "support", component: PurchasePage },
  { path: "/member/:id", role: "support", component: MemberPage },
  { path: "/webhooks", navigation: "Webhooks", role: "support", component: WebhooksPage },
  { path: "/webhook/:id", role: "support", component: WebhookPage },
  { path: "/delivery/:id", role: "support", component: DeliveryPage },
  { path: "/dead-letters", navigation: "Dead letters", role: "operator", component: DeadLettersPage },
  { path: "/dead-letters/:stream/:reason", role: "operator", component: LettersOfGroupPage },
  { path: "/dead-letter/:sequence", role: "operator", component: DeadLetterPage },
  {
    path: "/programs",
    navigation: "Programs",
    role: "operator",
    needsPlatform: true,
    component: ProgramsPage,
  },
  { path: "/programs/deals", role: "operator", needsPlatform: true, component: DealsPage },
  { path: "/programs/retailers", role: "operator", needsPlatform: true, component: RetailersPage },
  { path: "/program/:id", role: "operator", needsPlatform: true, component: ProgramPage },
  { path: "/deal/:id", role: "operator", needsPlatform: true, component: DealPage },
  { path: "/retailer/:id", role: "operator", needsPlatform: true, component: RetailerPage },
  { path: "/audit", navigation: "Audit", role: "support", component: AuditPage },
  { path: "/sessions", role: "support", needsLinks: true, component: SessionsPage },
];
