/** A seller as schema.org describes one: `Organization`. */
import { breadcrumbs, organization, type PageMeta } from '../page-meta.ts';
import type { Seller } from './seller-rows.ts';

/** How a seller's page presents itself; `image` is of something that it sells. */
export function sellerMeta(
  seller: Pick<Seller, 'name' | 'slug' | 'about'>,
  image: string | null = null,
): PageMeta {
  const path = `/sellers/${seller.slug}`;
  const description =
    seller.about ?? `Auctions by ${seller.name}: current lots, coming sales and past results.`;
  return {
    description,
    path,
    image,
    data: [
      { ...organization(seller), description },
      breadcrumbs([
        ['Auctions', '/auctions'],
        [seller.name, path],
      ]),
    ],
  };
}
