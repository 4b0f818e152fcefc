/** A lot as schema.org describes it: `Product` with an `Offer`. */
import { isOneOf, objectIn } from '../../../engine/objects.ts';
import { OFFERED_LOTS } from '../../shared/statuses/lot-statuses.ts';
import { breadcrumbs, organization, type PageMeta, type StructuredData } from '../page-meta.ts';
import type { LotDetail, LotPage } from './lot-view.ts';

const MAX_IMAGES = 5;

/** The lot's number as the catalog has it. */
export function shownNumber(lot: LotDetail): string {
  return String(objectIn(lot)['catalog_number'] ?? lot.lot_number);
}

/** How a lot's page presents itself. What is not public, or no longer for sale to anybody, is nobody's find. */
export function lotMeta({
  lot,
  isPublic,
  auction,
}: Pick<LotPage, 'lot' | 'isPublic'> & { readonly auction: Pick<LotPage['auction'], 'seller'> }): PageMeta {
  const path = `/lots/${lot.id}`;
  const images = lot.media.filter(({ type }) => type === 'image').map(({ url }) => url);
  const { description: words, sku } = objectIn(lot);
  const locality = [lot.location['city'], lot.location['state']].filter(Boolean).join(', ');
  const description = [`Lot ${shownNumber(lot)}`, locality, words].filter(Boolean).join(' · ');
  return {
    description,
    path,
    image: images[0] ?? null,
    kind: 'product',
    isHidden: !isPublic || !isOneOf(OFFERED_LOTS, lot.status),
    data: [
      {
        '@type': 'Product',
        name: lot.title,
        description,
        url: path,
        ...(images.length === 0 ? {} : { image: images.slice(0, MAX_IMAGES) }),
        ...(sku ? { sku } : {}),
        ...(lot.category === null ? {} : { category: lot.category.name }),
        offers: { ...lotOffer(lot, path), seller: organization(auction.seller) },
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

/** For the whole lot, also where it is sold by the unit; where bids are sealed, what they start at. */
function priceOf(lot: LotPage['lot']): string {
  const { starting_bid, current_bid, current_total, minimum_next_total } = lot;
  const price = Number(current_bid) > 0 ? (current_total ?? current_bid) : minimum_next_total;
  return price ?? starting_bid;
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
