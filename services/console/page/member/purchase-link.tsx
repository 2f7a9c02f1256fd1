import { Link, pathOf } from "../frame/router.tsx";

/** A purchase, by the name that the integrator gave it. */
export function PurchaseLink({ externalId }: { readonly externalId: string }) {
  return (
    <Link to={pathOf("purchase", externalId)} class="purchase-link">
      {externalId}
    </Link>
  );
}
