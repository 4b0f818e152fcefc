/**
 * What staff see of a sale's bidders: from where each bid came, who shares an address, a browser or a card with another
 * bidder or with the seller's people, and who raises without ever winning. The office reads it; nobody else does.
 */
import type { Knex } from 'knex';
import { JUST_LEFT_SQL } from '../../shared/policy/relations.ts';
import { NotUnsealable, unseal } from '../../shared/sealed.ts';
import { hasPartSql } from '../records/sale-outcomes.ts';
import { hashOf } from './bid-origins.ts';

export interface OriginReading {
  readonly knex: Knex;
  readonly appSecrets: readonly string[];
  /** The cards that these people paid with, as far as they are known. */
  readonly cardsOf: (
    knex: Knex,
    userIds: readonly number[],
  ) => Promise<ReadonlyMap<number, ReadonlySet<string>>>;
}

export interface Origin {
  readonly address: string;
  readonly browser: string;
}

export interface SaleOrigins {
  /** From where a bid came; null: it is not known, or no longer. */
  of(lotId: number, sequence: number): Origin | null;
  /** Where somebody bid from. */
  originsOf(userId: number): readonly Origin[];
  /** What staff should look at, a short sentence each. */
  signsOf(userId: number): readonly string[];
}

interface FromRow {
  readonly lot_id: number;
  readonly user_id: number;
  readonly origin_id: number;
  readonly sequences: number[];
}

interface OriginRow {
  readonly id: number;
  readonly address_hash: string;
  readonly browser_hash: string;
  readonly sealed: string;
}

const MAX_ROWS = 20_000;
/** So often somebody has to raise before it says anything. */
const MANY_RAISES = 2;

/** Of a sale, or of the bidders of one of its lots. */
export async function readSaleOrigins(
  { knex, appSecrets, cardsOf }: OriginReading,
  { auctionId, teamId }: { readonly auctionId: number; readonly teamId: number },
): Promise<SaleOrigins> {
  const rows = await knex('bids_from')
    .where('auction_id', auctionId)
    .orderBy('seen_at', 'desc')
    .limit(MAX_ROWS)
    .select<FromRow[]>('lot_id', 'user_id', 'origin_id', 'sequences');
  const sellers = await sellersPeople(knex, teamId);
  const own = await knex('bids_from')
    .whereIn('user_id', [...sellers.keys()])
    .distinct<{ user_id: number; origin_id: number }[]>('user_id', 'origin_id');
  const bidders = await biddersOf(knex, auctionId);
  const ids = [...new Set([...rows, ...own].map(({ origin_id }) => origin_id))];
  const origins = new Map(
    (await knex<OriginRow>('bid_origins').whereIn('id', ids)).map((row) => [row.id, row] as const),
  );
  const used = new Map<number, Set<number>>();
  for (const { user_id, origin_id } of [...rows, ...own])
    used.set(user_id, (used.get(user_id) ?? new Set()).add(origin_id));
  const addresses = await sellersAddresses(knex, [...sellers.keys()], appSecrets[0] ?? '');
  const neverWon = await raisesWithoutWins(knex, teamId, [...bidders.keys()]);
  const byBid = new Map<string, OriginRow>();
  for (const { lot_id, origin_id, sequences } of rows) {
    const origin = origins.get(origin_id);
    if (origin !== undefined) for (const sequence of sequences) byBid.set(`${lot_id}|${sequence}`, origin);
  }
  const originsOf = (userId: number) =>
    [...(used.get(userId) ?? [])].flatMap((id) => {
      const row = origins.get(id);
      return row === undefined ? [] : [row];
    });
  const everybody = new Map([...bidders, ...sellers]);
  const cards = await cardsOf(knex, [...everybody.keys()]);
  const nameOf = (id: number, name: string) => (sellers.has(id) ? `${name} (seller)` : name);
  const sharing = (userId: number, field: 'address_hash' | 'browser_hash'): string[] => {
    const mine = new Set(originsOf(userId).map((row) => row[field]));
    const names = [...everybody].flatMap(([other, name]) => {
      if (other === userId) return [];
      const theirs = originsOf(other).some((row) => mine.has(row[field]));
      const signedIn =
        field === 'address_hash' && [...(addresses.get(other) ?? [])].some((one) => mine.has(one));
      return theirs || signedIn ? [nameOf(other, name)] : [];
    });
    return [...new Set(names)];
  };
  return {
    of: (lotId, sequence) => opened(byBid.get(`${lotId}|${sequence}`), appSecrets),
    originsOf: (userId) =>
      originsOf(userId).flatMap((row) => {
        const origin = opened(row, appSecrets);
        return origin === null ? [] : [origin];
      }),
    signsOf: (userId) => {
      const raises = neverWon.get(userId) ?? 0;
      return [
        ...sharing(userId, 'address_hash').map((name) => `Same address as ${name}`),
        ...sharing(userId, 'browser_hash').map((name) => `Browser of the same name and version as ${name}`),
        ...whoShares(cards, everybody, userId).map(([id, name]) => `Same card as ${nameOf(id, name)}`),
        ...(raises >= MANY_RAISES ? [`Never won: ${raises} raises`] : []),
      ];
    },
  };
}

/** Who else has one of somebody's cards. */
function whoShares(
  cards: ReadonlyMap<number, ReadonlySet<string>>,
  people: ReadonlyMap<number, string>,
  userId: number,
): (readonly [id: number, name: string])[] {
  const mine = cards.get(userId) ?? new Set();
  return [...people].filter(
    ([id]) => id !== userId && [...(cards.get(id) ?? [])].some((card) => mine.has(card)),
  );
}

function opened(row: OriginRow | undefined, appSecrets: readonly string[]): Origin | null {
  if (row === undefined) return null;
  try {
    const [address = '', browser = ''] = unseal(row.sealed, appSecrets).split('\n');
    return { address, browser };
  } catch (error) {
    if (error instanceof NotUnsealable) return null;
    throw error;
  }
}

/** Who is in the selling team, or was within 30 days, by name. */
async function sellersPeople(knex: Knex, teamId: number): Promise<ReadonlyMap<number, string>> {
  const members = knex('memberships').where('team_id', teamId).select('user_id');
  const left = knex('left_memberships').where('team_id', teamId).whereRaw(JUST_LEFT_SQL).select('user_id');
  const rows = await knex('users')
    .whereIn('id', members.union(left))
    .select<{ id: number; name: string }[]>('id', 'name');
  return new Map(rows.map(({ id, name }) => [id, name]));
}

async function biddersOf(knex: Knex, auctionId: number): Promise<ReadonlyMap<number, string>> {
  const rows = await knex('users')
    .whereIn(
      'id',
      knex('bids')
        .whereIn('lot_id', knex('lots').where('auction_id', auctionId).select('id'))
        .whereNotNull('user_id')
        .select('user_id'),
    )
    .select<{ id: number; name: string }[]>('id', 'name');
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** Hashes of the addresses that the seller's people did anything from in the last 90 days. */
async function sellersAddresses(
  knex: Knex,
  userIds: readonly number[],
  key: string,
): Promise<ReadonlyMap<number, ReadonlySet<string>>> {
  const rows = await knex('activity')
    .whereIn('user_id', userIds)
    .whereNotNull('ip')
    .whereRaw("recorded_at > now() - interval '90 days'")
    .distinct<{ user_id: number; ip: string }[]>('user_id', 'ip');
  const found = new Map<number, Set<string>>();
  for (const { user_id, ip } of rows)
    found.set(user_id, (found.get(user_id) ?? new Set()).add(hashOf(ip, key)));
  return found;
}

/** Bids in all sales of this seller by people who neither won nor lead one of its lots. */
async function raisesWithoutWins(
  knex: Knex,
  teamId: number,
  userIds: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  const rows = await knex('bids as b')
    .join('auctions as a', 'a.id', 'b.auction_id')
    .where({ 'a.team_id': teamId, 'b.voided': false })
    .whereIn('b.user_id', userIds)
    .whereNotExists(
      knex('lots as l')
        .join('auctions as s', 's.id', 'l.auction_id')
        .where('s.team_id', teamId)
        // SQL: columns compared with each other.
        .whereRaw(`(b.user_id in (l.winner_user_id, l.leader_user_id) OR ${hasPartSql('b.user_id')})`),
    )
    .groupBy('b.user_id')
    .count<{ user_id: number; n: string }[]>({ n: '*' })
    .select('b.user_id');
  return new Map(rows.map(({ user_id, n }) => [user_id, Number(n)]));
}
