/**
 * Registering for auctions: what a bidder asks and a seller decides goes through the auction's record in the journal, so that it holds
 * for the very next bid. Postgres gives a registration its id when it is asked for; everything else in its row follows the journal.
 */
import type { Knex } from 'knex';
import type { Principal } from '../../../adapters/http/endpoint.ts';
import { notFound, refuse } from '../../../adapters/http/problem.ts';
import { aliasFrom } from '../../../engine/actor/auction-cache.ts';
import type { Journal } from '../../../engine/actor/journal.ts';
import { type AuctionRecord, type Bidder, userKey } from '../../../engine/auction/record.ts';
import { isoFromUs } from '../../../engine/time.ts';
import { newSalt } from '../../shared/node-crypto.ts';
import { isLive } from '../../shared/states/auction-states.ts';
import { readAuctionRow } from '../records/auction-rows.ts';
import { statusBy } from '../records/auction-status.ts';
import { ensureRecord } from '../records/publishing.ts';
import type { RegistrationStatus } from '../records/registration.model.ts';
import { type RegistrationRow, readRow } from './registration-rows.ts';

export interface RegistrationParts {
  readonly knex: Knex;
  readonly journal: Journal;
  /** The number of a bidder's deposit invoice in an auction, made where there is none; null where it asks for no deposit. */
  readonly openDeposit: (trx: Knex.Transaction, auctionId: number, userId: number) => Promise<string | null>;
}

/** A registration's row and what the journal says of its bidder, which is ahead of the row. */
export interface Registered {
  readonly row: RegistrationRow;
  readonly bidder: Bidder | null;
}

export interface Asked extends Registered {
  readonly isNew: boolean;
  readonly depositInvoiceNumber: string | null;
}

/**
 * Asks for registration, by the auction's id or slug: approved at once in an open auction, to be decided in one with approval or a
 * private one, approved by its payment in one with a deposit. What was decided already stays. Throws 404 for an auction that takes
 * nobody (any more), 403 `seller_cannot_bid`, and the journal's faults.
 */
export async function askForRegistration(
  parts: RegistrationParts,
  auctionRef: string,
  who: Principal,
): Promise<Asked> {
  const record = await requireOpen(parts, auctionRef);
  const { auctionId } = record;
  if (owns(record, who)) throw refuse('seller_cannot_bid');
  await parts
    .knex('registrations')
    .insert({ auction_id: auctionId, user_id: who.userId, status: 'pending' })
    .onConflict(['auction_id', 'user_id'])
    .ignore();
  return oneAtATime(parts.knex, auctionId, who.userId, async (trx) => {
    const before = await readBidder(parts.journal, auctionId, who.userId);
    const bidder = await register(parts.journal, record, who.userId, before);
    const depositInvoiceNumber =
      bidder.status === 'deposit_due' ? await parts.openDeposit(trx, auctionId, who.userId) : null;
    const row = await readRow(trx, auctionId, { userId: who.userId });
    return {
      row: row!,
      bidder,
      isNew: before === null,
      depositInvoiceNumber,
    };
  });
}

/** The auction's record, where one may register: it is published and not over. */
async function requireOpen({ knex, journal }: RegistrationParts, ref: string): Promise<AuctionRecord> {
  const found = await knex('auctions')
    .where(/^[0-9]+$/.test(ref) ? { id: Number(ref) } : { slug: ref })
    .first<{ id: number } | undefined>('id');
  const row = found === undefined ? null : await readAuctionRow(knex, found.id);
  if (row === null || !isLive(row.status)) throw notFound('There is no such auction.');
  await ensureRecord(journal, row);
  const record = await journal.loadRecord(row.auctionId);
  if (record === null || !isLive(statusBy(row.status, record, journal.nowUs())))
    throw notFound('There is no such auction.');
  return record;
}

function owns({ ownerTeamId, ownerUserId }: AuctionRecord, who: Principal): boolean {
  return who.userId === ownerUserId || (ownerTeamId !== null && who.teamIds.includes(ownerTeamId));
}

async function register(
  journal: Journal,
  record: AuctionRecord,
  userId: number,
  before: Bidder | null,
): Promise<Bidder> {
  if (before !== null && before.status !== 'deposit_due') return before;
  const { auctionId } = record;
  const bidder = before ?? newBidder(userId);
  // Whoever a private auction lets in is its seller's to decide.
  const mode =
    record.registrationMode === 'open' && record.privacy === 'private' ? 'approval' : record.registrationMode;
  if (mode === 'open') {
    const { key, alias, paddle } = bidder;
    return (await journal.register(auctionId, [{ key, userId, alias, paddle }]))[0]!;
  }
  const status = mode === 'deposit' ? 'deposit_due' : 'pending';
  return before?.status === status ? before : journal.saveBidder(auctionId, { ...bidder, status }, null);
}

export interface Decision {
  readonly status?: Extract<RegistrationStatus, 'approved' | 'declined' | 'suspended'> | undefined;
  /** Null: the auction's limit counts. */
  readonly limitCents?: number | null | undefined;
  readonly reason?: string | null | undefined;
}

/**
 * Decides a registration; what the decision does not name stays. Throws 404 for one that this auction of this team does not have,
 * and the journal's faults.
 */
export async function decideRegistration(
  parts: RegistrationParts,
  place: { readonly teamId: number; readonly auctionId: number; readonly registrationId: number },
  decision: Decision,
  deciderId: number,
): Promise<Registered> {
  const { auctionId, registrationId } = place;
  await requireTeamsAuction(parts.knex, place.teamId, auctionId);
  const found = await readRow(parts.knex, auctionId, { registrationId });
  if (found === null) throw notFound('There is no such registration.');
  const userId = found.user_id;
  return oneAtATime(parts.knex, auctionId, userId, async (trx) => {
    const before = (await readBidder(parts.journal, auctionId, userId)) ?? newBidder(userId);
    const bidder = {
      ...before,
      status: decision.status ?? before.status,
      limitCents: decision.limitCents === undefined ? before.limitCents : decision.limitCents,
    };
    const reason = decision.reason === undefined ? found.reason : decision.reason;
    const saved = await parts.journal.saveBidder(auctionId, bidder, reason);
    if (decision.status !== undefined)
      await trx('registrations').where('id', registrationId).update({ decided_by_user_id: deciderId });
    const row = await readRow(trx, auctionId, { registrationId });
    const decidedAt = decision.status === undefined ? row!.decided_at : isoFromUs(parts.journal.nowUs());
    return { row: { ...row!, reason, decided_at: decidedAt }, bidder: saved };
  });
}

/** Throws 404 unless the auction is the team's. */
export async function requireTeamsAuction(knex: Knex, teamId: number, auctionId: number): Promise<void> {
  const row = await knex('auctions').where({ id: auctionId, team_id: teamId }).first('id');
  if (row === undefined) throw notFound('There is no such auction.');
}

function newBidder(userId: number): Bidder {
  const alias = aliasFrom(newSalt());
  return { key: userKey(userId), userId, alias, paddle: null, status: 'pending', limitCents: null };
}

async function readBidder(journal: Journal, auctionId: number, userId: number): Promise<Bidder | null> {
  const key = userKey(userId);
  return (await journal.loadBidders(auctionId, [key])).get(key)?.bidder ?? null;
}

/** The journal takes whole registrations, so whoever changes one waits for whoever is just changing it. */
function oneAtATime<T>(
  knex: Knex,
  auctionId: number,
  userId: number,
  work: (trx: Knex.Transaction) => Promise<T>,
): Promise<T> {
  return knex.transaction(async (trx) => {
    await trx.raw('SELECT pg_advisory_xact_lock(hashtextextended(?, 9))', [`${auctionId}:${userId}`]);
    return work(trx);
  });
}
