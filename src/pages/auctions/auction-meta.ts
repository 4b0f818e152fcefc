/** A sale as schema.org describes it: `SaleEvent`. */
import { isOneOf } from '../../../engine/objects.ts';
import { ENDED_AUCTIONS, isLive } from '../../shared/statuses/auction-statuses.ts';
import { breadcrumbs, organization, type PageMeta } from '../page-meta.ts';
import type { AuctionInFull } from './auction-in-full.ts';

/** How an auction's page presents itself; `image` is of a lot of it. What was cancelled is nobody's find. */
export function auctionMeta(auction: AuctionInFull, lotCount: number, image: string | null): PageMeta {
  const path = `/auctions/${auction.slug}`;
  const isPublic = auction.privacy === 'public';
  const description = [
    `${lotCount === 1 ? 'One lot' : `${lotCount} lots`} by ${auction.seller.name}`,
    auction.description,
  ]
    .filter(Boolean)
    .join('. ');
  return {
    description,
    path,
    image,
    isHidden: !isPublic || !(isLive(auction.status) || isOneOf(ENDED_AUCTIONS, auction.status)),
    calendar: `${path}/calendar.ics`,
    ...(isPublic
      ? {
          feed: {
            title: ['Lots of {0}', auction.title],
            path: `/lots.rss?auction_id=${auction.id}&status=all`,
          },
        }
      : {}),
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
        ...(image === null ? {} : { image }),
        organizer: organization(auction.seller),
      },
      breadcrumbs([
        ['Auctions', '/auctions'],
        [auction.title, path],
      ]),
    ],
  };
}
