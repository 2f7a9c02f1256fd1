import { AuditPage } from "./audit/audit.tsx";
import { FindPage } from "./find/find.tsx";
import type { PageDefinition } from "./frame/page-definition.ts";
import { LivePage } from "./live/live-page.tsx";
import { MemberPage } from "./member/member.tsx";
import { PurchasePage } from "./purchase/purchase.tsx";

/** Every page, in the order of the navigation. The first that one may see is at `/` too. */
export const PAGES: readonly PageDefinition[] = [
  { path: "/live", navigation: "Live", role: "support", component: LivePage },
  { path: "/find", navigation: "Find", role: "support", component: FindPage },
  { path: "/find/:query", role: "support", component: FindPage },
  { path: "/purchase/:externalId", role: "support", component: PurchasePage },
  { path: "/member/:id", role: "support", component: MemberPage },
  { path: "/audit", navigation: "Audit", role: "support", component: AuditPage },
];
