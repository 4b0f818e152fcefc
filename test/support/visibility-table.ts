/**
 * The table of `docs/visibility.md`, generated from the predicates: equal rows of several statuses are one. The service
 * defines lists in SQL only; this repeats it as a predicate, and compares the two.
 */

import { PRIVACIES } from '../../src/shared/auction.schema.ts';
import { NOBODY, type Relation } from '../../src/shared/policy/relations.ts';
import { AUCTION_STATUSES } from '../../src/shared/statuses/auction-statuses.ts';
import type { LotRowStatus } from '../../src/shared/statuses/lot-statuses.ts';
import {
  type AuctionFacts,
  type LotFacts,
  readsAuction,
  seesAuction,
  seesLot,
} from '../../src/shared/visibility/visibility.ts';

const VIEWERS: readonly (readonly [name: string, relation: Relation])[] = [
  ['everybody', NOBODY],
  ['registered bidders', { ...NOBODY, isRegistered: true }],
  ['the consignor', { ...NOBODY, isConsignor: true }],
  ['the team', { ...NOBODY, isMember: true }],
];

const HEAD = [
  'privacy',
  'the auction is',
  '`GET /auctions/{auction}`',
  'its page',
  'its published lots',
  'its other lots',
  'lists, search, map',
];

type AuctionThatIs = Pick<AuctionFacts, 'auctionStatus' | 'auctionPublished'> & { readonly name: string };

/** Which statuses an auction can have, never having been published, or once it was. */
export function auctionsThatAre(): AuctionThatIs[] {
  const all: AuctionThatIs[] = [];
  for (const auctionStatus of AUCTION_STATUSES.statuses) {
    all.push({ auctionStatus, auctionPublished: auctionStatus !== 'draft', name: auctionStatus });
    if (auctionStatus === 'cancelled')
      all.push({ auctionStatus, auctionPublished: false, name: 'cancelled as a draft' });
  }
  return all;
}

/** The whole table as Markdown. */
export function visibilityTable(): string {
  const namesOf = new Map<string, string[]>();
  for (const privacy of PRIVACIES) {
    for (const { name, ...auction } of auctionsThatAre()) {
      const said = cellsOf({ privacy, ...auction }).join(' | ');
      const key = `${privacy} | # | ${said}`;
      namesOf.set(key, [...(namesOf.get(key) ?? []), name]);
    }
  }
  const rows = [...namesOf].map(([key, names]) => key.replace('#', () => names.join(', ')));
  return [HEAD.join(' | '), HEAD.map(() => '---').join(' | '), ...rows].map((row) => `| ${row} |`).join('\n');
}

function cellsOf(auction: AuctionFacts): string[] {
  const lot = (lotStatus: LotRowStatus, lotPublished: boolean) => ({ ...auction, lotStatus, lotPublished });
  return [
    who((viewer) => readsAuction(auction, viewer)),
    who((viewer) => seesAuction(auction, viewer)),
    auction.auctionPublished ? who((viewer) => seesLot(lot('active', true), viewer)) : 'none',
    who((viewer) => seesLot(lot('draft', false), viewer)),
    listed(auction),
  ];
}

function who(sees: (viewer: Relation) => boolean): string {
  if (sees(NOBODY)) return 'everybody';
  const names = VIEWERS.filter(([, viewer]) => sees(viewer)).map(([name]) => name);
  return names.length === 0 ? 'nobody' : names.join(', ');
}

function listed(auction: AuctionFacts): string {
  const lot = (lotStatus: LotRowStatus) => ({
    ...auction,
    lotStatus,
    lotPublished: auction.auctionPublished,
  });
  if (listsAuction(auction)) return 'yes';
  if (listsLot(lot('active'), 'active')) return 'its lots';
  return listsLot(lot('sold'), 'sold') ? 'lots, with a `status` filter' : 'no';
}

/** Whether lists of auctions, and counts, have it. */
export function listsAuction({ auctionStatus, privacy }: AuctionFacts): boolean {
  return auctionStatus === 'active' && privacy === 'public';
}

/** Whether lists of lots, search and the map have it where they are requested with this status; null: for all. */
export function listsLot(lot: LotFacts, status: LotRowStatus | null): boolean {
  if (!lot.lotPublished || lot.privacy !== 'public') return false;
  if (status !== null && lot.lotStatus !== status) return false;
  return lot.auctionStatus === 'active' || status !== 'active';
}
