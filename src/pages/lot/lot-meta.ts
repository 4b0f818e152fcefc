/** A lot as schema.org describes it: `Product` with an `Offer`. */
import { objectIn } from '../../../engine/objects.ts';
import { breadcrumbs, type PageMeta, type StructuredData } from '../page-meta.ts';
import type { LotPage } from './lot-view.ts';

const MAX_IMAGES = 5;

/** How a lot's page presents itself. `privacy` is that of its auction. */
export function lotMeta({ lot, isPublic }: Pick<LotPage, 'lot' | 'isPublic'>): PageMeta {
  const path = `/lots/${lot.id}`;
  const images = lot.media.filter(({ type }) => type === 'image').map(({ url }) => url);
  const { description: words, sku } = objectIn(lot);
  const locality = [lot.location['city'], lot.location['state']].filter(Boolean).join(', ');
  const description = [`Lot ${lot.lot_number}`, locality, words].filter(Boolean).join(' · ');
  return {
    description,
    path,
    image: images[0] ?? null,
    kind: 'product',
    isHidden: !isPublic,
    data: [
      {
        '@type': 'Product',
        name: lot.title,
        description,
        url: path,
        ...(images.length === 0 ? {} : { image: images.slice(0, MAX_IMAGES) }),
        ...(sku ? { sku } : {}),
        ...(lot.category === null ? {} : { category: lot.category.name }),
        offers: lotOffer(lot, path),
      },
      breadcrumbs([
        ['Auctions', '/auctions'],
        [lot.auction.title, `/auctions/${lot.auction.slug}`],
        [lot.title, path],
      ]),
    ],
  };
}

const AVAILABILITY: Readonly<Record<string, string>> = {
  active: 'InStock',
  scheduled: 'PreOrder',
  sold: 'SoldOut',
};

/** For the whole lot, also where it is sold by the unit. */
function priceOf(lot: LotPage['lot']): string | null {
  const { bid_count, starting_bid, current_bid, current_total, minimum_next_total } = lot;
  return bid_count === 0 ? (minimum_next_total ?? starting_bid) : (current_total ?? current_bid);
}

function lotOffer(lot: LotPage['lot'], path: string): StructuredData {
  const price = lot.hammer_price ?? priceOf(lot);
  return {
    '@type': 'Offer',
    url: path,
    price,
    priceCurrency: lot.currency.toUpperCase(),
    availability: `https://schema.org/${AVAILABILITY[lot.status] ?? 'Discontinued'}`,
    availabilityStarts: lot.start_time,
    priceValidUntil: lot.end_time,
  };
}
