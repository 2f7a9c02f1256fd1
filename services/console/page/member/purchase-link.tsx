import { Link } from "../frame/link.tsx";
import { pathOf } from "../frame/path-of.ts";

/** A purchase, by the name that the integrator gave it. */
export function PurchaseLink({ externalId }: { readonly externalId: string }) {
  return (
    <Link to={pathOf("purchase", externalId)} class="purchase-link">
      {externalId}
    </Link>
  );
}
