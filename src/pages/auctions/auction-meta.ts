/** A sale as schema.org describes it: `SaleEvent`. */
import { breadcrumbs, type PageMeta } from '../page-meta.ts';
import type { AuctionInFull } from './auction-in-full.ts';

/** How an auction's page presents itself. */
export function auctionMeta(auction: AuctionInFull, lotCount: number): PageMeta {
  const path = `/auctions/${auction.slug}`;
  const description = [
    `${lotCount === 1 ? 'One lot' : `${lotCount} lots`} by ${auction.seller.name}`,
    auction.description,
  ]
    .filter(Boolean)
    .join('. ');
  return {
    description,
    path,
    isHidden: auction.privacy !== 'public',
    data: [
      {
        '@type': 'SaleEvent',
        name: auction.title,
        description,
        url: path,
        startDate: auction.startTime,
        endDate: auction.endTime,
        eventStatus: `https://schema.org/${auction.status === 'cancelled' ? 'EventCancelled' : 'EventScheduled'}`,
        eventAttendanceMode: 'https://schema.org/OnlineEventAttendanceMode',
        location: { '@type': 'VirtualLocation', url: path },
        organizer: {
          '@type': 'Organization',
          name: auction.seller.name,
          url: `/sellers/${auction.seller.slug}`,
        },
      },
      breadcrumbs([
        ['Auctions', '/auctions'],
        [auction.title, path],
      ]),
    ],
  };
}
