/**
 * The table of `docs/visibility.md`, generated from the predicates: equal rows of several statuses are one. The service
 * defines lists in SQL only; this repeats it as a predicate, and compares the two.
 */
import { PRIVACIES } from '../../src/shared/auction.schema.ts';
import { AUCTION_STATUSES } from '../../src/shared/statuses/auction-statuses.ts';
import {
  type AuctionFacts,
  type LotFacts,
  NOBODY,
  type Relation,
  readsAuction,
  seesAuction,
  seesFile,
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
  'its lots',
  'its draft lots',
  'files, by address',
  'lists, search, map',
];

/** The whole table as Markdown. */
export function visibilityTable(): string {
  const statusesOf = new Map<string, string[]>();
  for (const privacy of PRIVACIES) {
    for (const auctionStatus of AUCTION_STATUSES.statuses) {
      const said = cellsOf({ privacy, auctionStatus }).join(' | ');
      const key = `${privacy} | # | ${said}`;
      statusesOf.set(key, [...(statusesOf.get(key) ?? []), auctionStatus]);
    }
  }
  const rows = [...statusesOf].map(([key, statuses]) => key.replace('#', () => statuses.join(', ')));
  return [HEAD.join(' | '), HEAD.map(() => '---').join(' | '), ...rows].map((row) => `| ${row} |`).join('\n');
}

function cellsOf(auction: AuctionFacts): string[] {
  const lot = (lotStatus: string) => ({ ...auction, lotStatus });
  return [
    who((viewer) => readsAuction(auction, viewer)),
    who((viewer) => seesAuction(auction, viewer)),
    who((viewer) => seesLot(lot('active'), viewer)),
    who((viewer) => seesLot(lot('draft'), viewer)),
    who((viewer) => seesFile(auction, viewer)),
    listed(auction),
  ];
}

function who(sees: (viewer: Relation) => boolean): string {
  if (sees(NOBODY)) return 'everybody';
  const names = VIEWERS.filter(([, viewer]) => sees(viewer)).map(([name]) => name);
  return names.length === 0 ? 'nobody' : names.join(', ');
}

function listed(auction: AuctionFacts): string {
  const lot = { ...auction, lotStatus: 'active' };
  if (listsAuction(auction)) return 'yes';
  if (listsLot(lot, 'active')) return 'its lots';
  return listsLot({ ...auction, lotStatus: 'sold' }, 'sold') ? 'lots, with a `status` filter' : 'no';
}

/** Whether lists of auctions, and counts, have it. */
export function listsAuction({ auctionStatus, privacy }: AuctionFacts): boolean {
  return auctionStatus === 'active' && privacy === 'public';
}

/** Whether lists of lots, search and the map have it where they are requested with this status; null: for all. */
export function listsLot(lot: LotFacts, status: string | null): boolean {
  if (lot.lotStatus === 'draft' || lot.privacy !== 'public') return false;
  if (status !== null && lot.lotStatus !== status) return false;
  return lot.auctionStatus === 'active' || (status !== 'active' && lot.auctionStatus !== 'draft');
}
