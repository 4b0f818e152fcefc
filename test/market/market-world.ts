/**
 * What the model knows of the whole market, and who may see what of it, by docs/visibility.md: said here once more, by
 * hand, and asked by every comparison.
 */
import type { NaiveLotView, NaiveRow } from '../support/naive-terms.ts';
import { rows, viewLot } from '../support/naive-views.ts';
import { Ledger } from './ledger.ts';
import type {
  AuctionModel,
  KeyedBid,
  LotModel,
  LotStatus,
  Person,
  TeamModel,
  TeamName,
} from './market-terms.ts';

export const VISITOR = 'visitor';

export class MarketWorld {
  readonly people: ReadonlyMap<string, Person>;
  readonly teams: Readonly<Record<TeamName, TeamModel>>;
  readonly auctions: AuctionModel[] = [];
  readonly ledger = new Ledger();
  /** Bids that were sent under a key, with what they were answered. */
  readonly keyed: KeyedBid[] = [];
  /** The lots that each watches, by name, in the order in which they were put there. */
  readonly watched = new Map<string, string[]>();
  /** What each dispute was opened with, in cents: the provider says it again at its end, whatever was withheld. */
  readonly disputed = new Map<string, number>();
  /** Accounts that staff hold back. */
  readonly suspended = new Set<string>();
  /** Whether there is a copy of Redis, of this life of the journal. */
  redisIsCopied = false;
  /** In every title of this seed, and in no other. */
  readonly tag: string;
  nowUs: number;

  constructor(parts: Pick<MarketWorld, 'people' | 'teams' | 'tag' | 'nowUs'>) {
    this.people = parts.people;
    this.teams = parts.teams;
    this.tag = parts.tag;
    this.nowUs = parts.nowUs;
  }

  get lots(): LotModel[] {
    return this.auctions.flatMap(({ lots }) => lots);
  }

  auction(name: string): AuctionModel | null {
    return this.auctions.find((one) => one.name === name) ?? null;
  }

  lot(name: string): LotModel | null {
    return this.lots.find((one) => one.name === name) ?? null;
  }

  person(name: string): Person | null {
    return this.people.get(name) ?? null;
  }
}

const isMember = ({ team }: AuctionModel, viewer: string) => team.roles.has(viewer);

/** Whether a team may put something before the public: it is approved, and its owner is not suspended. */
export const maySell = ({ suspended }: MarketWorld, { approved, roles }: TeamModel): boolean =>
  approved && ![...roles].some(([name, role]) => role === 'owner' && suspended.has(name));
/** Also while they owe a deposit. */
export function isLetIn({ registrations }: AuctionModel, viewer: string): boolean {
  const status = registrations.get(viewer)?.status;
  return status === 'approved' || status === 'deposit_due';
}

/** Somebody of the team who may act for it: this one, if they are. */
export function memberOf({ suspended }: MarketWorld, { roles }: TeamModel, wanted = ''): string {
  const able = [...roles.keys()].filter((name) => !suspended.has(name));
  return able.includes(wanted) ? wanted : (able[0] ?? '');
}

const isConsignor = ({ named, consigned }: LotModel, name: string) => consigned && named?.name === name;

/** Its page. */
export function seesAuction(auction: AuctionModel, viewer: string): boolean {
  if (isMember(auction, viewer)) return true;
  return auction.published && (auction.privacy !== 'private' || isLetIn(auction, viewer));
}

/** `GET /auctions/{auction}`. */
export function readsAuction(auction: AuctionModel, viewer: string): boolean {
  return auction.status === 'active' && seesAuction(auction, viewer);
}

export function listsAuction(auction: AuctionModel): boolean {
  return auction.status === 'active' && auction.privacy === 'public';
}

export function seesLot(lot: LotModel, viewer: string): boolean {
  if (isMember(lot.auction, viewer) || isConsignor(lot, viewer)) return true;
  return lot.published && seesAuction(lot.auction, viewer);
}

/** In lists and search, with this status filter. */
export function listsLot(lot: LotModel, filter: LotStatus | 'all'): boolean {
  if (!lot.published || lot.auction.privacy !== 'public') return false;
  if (filter !== 'all' && lot.status !== filter) return false;
  return lot.auction.status === 'active' || filter !== 'active';
}

/** An open lot with a bid, in an auction that is running. */
export function isContested(lot: LotModel): boolean {
  return lot.hadBid && (lot.status === 'active' || lot.status === 'scheduled');
}

/** Whether the rules of bidding know the lot. */
export const isUnderHammer = (lot: LotModel): boolean =>
  lot.auction.world.lots.some(({ lotId }) => lotId === lot.id);

/** What the rules say of it. */
export function liveView(lot: LotModel): NaiveLotView {
  const view = viewLot(lot.auction.world, lot.id);
  const last = lot.resold.at(-1);
  if (last === undefined) return view;
  // A second chance is a row of its own, at the price of the new sale.
  return {
    ...{ ...view, currentCents: last.cents, hammerCents: last.cents, leader: last.to },
    bidCount: view.bidCount + lot.resold.length,
    reserveMet: lot.reserveCents === null || last.cents >= lot.reserveCents,
  };
}

/** Whether somebody leads on an open lot of the auction. */
export const leadsIn = ({ lots }: AuctionModel, name: string): boolean =>
  lots.some((lot) => isUnderHammer(lot) && isOpen(lot) && liveView(lot).leader === name);

/** The public list of its bids. */
export function rowsOf(lot: LotModel): NaiveRow[] {
  const before = rows(lot.auction.world, lot.id);
  if (lot.resold.length === 0) return before;
  const isLead = ({ status }: NaiveRow) => status === 'won' || status === 'leading';
  const sales = lot.resold.map(({ to, cents }, at) => ({
    ...{ bidId: '', who: to, listedCents: cents, outcome: 'won' as const },
    status: at === lot.resold.length - 1 ? ('won' as const) : ('outbid' as const),
  }));
  return [
    ...sales.reverse(),
    ...before.map((row) => (isLead(row) ? { ...row, status: 'outbid' as const } : row)),
  ];
}

export const OVER: readonly LotStatus[] = ['sold', 'passed', 'unsold', 'withdrawn'];
export const isOpen = ({ status }: LotModel): boolean => status === 'scheduled' || status === 'active';
export const isLive = ({ status }: AuctionModel): boolean =>
  status === 'scheduled' || status === 'active' || status === 'paused';
