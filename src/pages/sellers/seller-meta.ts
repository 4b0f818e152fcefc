/** A seller as schema.org describes one: `Organization`. */
import type { PageMeta } from '../page-meta.ts';
import type { Seller } from './seller-rows.ts';

/** How a seller's page presents itself. */
export function sellerMeta(seller: Pick<Seller, 'name' | 'slug' | 'about'>): PageMeta {
  const path = `/sellers/${seller.slug}`;
  const description =
    seller.about ?? `Auctions by ${seller.name}: current lots, coming sales and past results.`;
  return {
    description,
    path,
    data: [{ '@type': 'Organization', name: seller.name, description, url: path }],
  };
}
