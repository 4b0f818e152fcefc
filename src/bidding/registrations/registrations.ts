/**
 * Registering for auctions: what a bidder requests and a seller decides goes through the auction's record in the
 * journal, so that it holds for the very next bid. Postgres gives a registration its id when it is requested;
 * everything else in its row follows the journal.
 */

import type { Knex } from 'knex';
import type { Principal } from '../../../adapters/http/endpoint.ts';
import type { Journal } from '../../../engine/actor/journal.ts';
import type { AuctionRecord, Bidder, BidderStatus, Conditions } from '../../../engine/auction/record.ts';
import { firstOf, present } from '../../../engine/first-of.ts';
import { isLetIn, isSeller, owns } from '../../../engine/lot/eligibility.ts';
import { isoFromUs } from '../../../engine/time.ts';
import { AUCTION_POLICY } from '../../shared/policy/auction-policy.ts';
import { requireAllowed } from '../../shared/policy/policy.ts';
import { REGISTRATION_POLICY } from '../../shared/policy/registration-policy.ts';
import { invalid, notFound, Refusal } from '../../shared/refusal.ts';
import { isLive } from '../../shared/statuses/auction-statuses.ts';
import { readAuctionRow } from '../records/auction-rows.ts';
import { statusBy } from '../records/auction-status.ts';
import { ensureRecord } from '../records/publishing.ts';
import {
  bidsRegister,
  changingBidder,
  type Decision,
  type DepositPort,
  isDepositWaived,
  newBidder,
  paddleAfter,
  type RegistrationOutcome,
  readBidder,
} from './bidder-changes.ts';
import { decideInDraft, isDraft } from './draft-registrations.ts';
import {
  acceptInvitation,
  accountOf,
  agreeToFloor,
  type RegistrationRow,
  readRow,
} from './registration-rows.ts';

export interface RegistrationParts {
  readonly knex: Knex;
  readonly journal: Journal;
  readonly deposits: DepositPort;
}

/**
 * Requests registration, by the auction's id or slug: approved at once in an open auction, to be decided in one with
 * approval, approved by its payment in one with a deposit. A private auction accepts those whom its seller has invited.
 * Earlier decisions stay, and the conditions that count now are accepted. Throws 404 for an auction
 * that takes nobody (any more) or that the caller may not see, 403 `seller_cannot_bid`, 409 `conditions_changed`, and
 * the journal's faults.
 */
export async function requestRegistration(
  parts: RegistrationParts,
  auctionRef: string,
  who: Principal,
  { floorPaddle, conditionsVersion }: RegistrationRequest,
): Promise<RegistrationOutcome> {
  const record = await requireOpen(parts, auctionRef);
  const { auctionId } = record;
  const { userId } = who;
  if (record.privacy === 'private' && !owns(record, who)) {
    const known = await readBidder(parts.journal, auctionId, userId);
    const sees = isLetIn(known?.status ?? null) ? 'registered' : 'user';
    requireAllowed(AUCTION_POLICY, 'see_private', 'active', sees);
  }
  // What was decided of them before stays: any state is judged alike.
  requireAllowed(REGISTRATION_POLICY, 'request', 'pending', isSeller(record, who) ? 'member' : 'own');
  requireNewest(record, conditionsVersion);
  await insertRow(parts.knex, auctionId, userId);
  await acceptInvitation(parts.knex, auctionId, userId);
  if (floorPaddle !== undefined) await agreeToFloor(parts.knex, auctionId, userId, floorPaddle);
  return changingBidder(parts.knex, auctionId, userId, async (trx) => {
    const before = await readBidder(parts.journal, auctionId, userId);
    const mayBid = () => coversDeposit(parts, trx, auctionId, userId);
    if (record.conditions !== undefined) await noteAccepted(trx, auctionId, userId, record.conditions);
    const reason = (await readRow(trx, auctionId, { userId }))?.reason ?? null;
    const bidder = await register(parts.journal, record, { userId, before, reason }, mayBid);
    return registered(parts, trx, bidder, { auctionId, userId }, before === null);
  });
}

/** What somebody says who registers. */
export interface RegistrationRequest {
  /** Whether the floor may call the paddle as theirs. */
  readonly floorPaddle?: boolean | undefined;
  /** The version of the conditions that they have read. */
  readonly conditionsVersion?: number | undefined;
}

/** Throws 409 where they have not read the conditions that count now. */
function requireNewest({ conditions }: AuctionRecord, version: number | undefined): void {
  if (conditions === undefined || version === conditions.version) return;
  throw new Refusal('conditions_changed', { data: { conditions_version: conditions.version } });
}

async function noteAccepted(
  trx: Knex.Transaction,
  auctionId: number,
  userId: number,
  { version }: Conditions,
): Promise<void> {
  await trx('registrations')
    .where({ auction_id: auctionId, user_id: userId })
    .whereRaw('conditions_version IS DISTINCT FROM ?', [version])
    .update({ conditions_version: version, conditions_accepted_at: trx.fn.now() });
}

async function insertRow(knex: Knex, auctionId: number, userId: number): Promise<void> {
  await knex('registrations')
    .insert({ auction_id: auctionId, user_id: userId, status: 'pending' })
    .onConflict(['auction_id', 'user_id'])
    .ignore();
}

async function coversDeposit(
  { deposits }: Pick<RegistrationParts, 'deposits'>,
  trx: Knex.Transaction,
  auctionId: number,
  userId: number,
): Promise<boolean> {
  return (await isDepositWaived(trx, auctionId, userId)) || (await deposits.isPaid(trx, auctionId, userId));
}

async function registered(
  { deposits }: RegistrationParts,
  trx: Knex.Transaction,
  bidder: Bidder,
  { auctionId, userId }: { readonly auctionId: number; readonly userId: number },
  isNew: boolean,
): Promise<RegistrationOutcome> {
  const depositInvoiceNumber =
    bidder.status === 'deposit_due'
      ? await deposits.open(trx, auctionId, userId)
      : ((await deposits.numbers(trx, auctionId, [userId])).get(userId) ?? null);
  const row = await readRow(trx, auctionId, { userId });
  return { row: present(row), bidder, isNew, depositInvoiceNumber };
}

/** The auction's record, where one may register: it is published and not over. */
async function requireOpen({ knex, journal }: RegistrationParts, ref: string): Promise<AuctionRecord> {
  const found = await knex('auctions')
    .where(/^[0-9]+$/.test(ref) ? { id: Number(ref) } : { slug: ref })
    .first<{ id: number } | undefined>('id');
  const row = found === undefined ? null : await readAuctionRow(knex, found.id);
  // Not in the table: whether the auction, no registration yet, takes any.
  if (row === null || !isLive(row.status)) throw notFound('There is no such auction.');
  await ensureRecord({ knex, journal }, row);
  const record = await journal.loadRecord(row.auctionId);
  if (record === null || !isLive(statusBy(row.status, record, journal.nowUs())))
    throw notFound('There is no such auction.');
  return record;
}

interface Known {
  readonly userId: number;
  readonly before: Bidder | null;
  readonly reason: string | null;
}

async function register(
  journal: Journal,
  record: AuctionRecord,
  { userId, before, reason }: Known,
  mayBid: () => Promise<boolean>,
): Promise<Bidder> {
  const { auctionId, conditions } = record;
  const bidder = before ?? newBidder(userId);
  const status = await statusAfter(record, before, mayBid);
  if (bidsRegister(record) && letsInAll(record) && status !== before?.status) {
    const { key, alias, paddle } = bidder;
    return firstOf(await journal.register(auctionId, [{ key, userId, alias, paddle }]));
  }
  const isKnown = status === before?.status;
  if (isKnown && (conditions === undefined || before?.conditionsVersion === conditions.version))
    return bidder;
  const accepted = conditions === undefined ? {} : { conditionsVersion: conditions.version };
  return journal.saveBidder(auctionId, { ...bidder, ...accepted, status }, reason);
}

/** Whoever may ask is let in: the invitation by a private auction's seller admits a bidder. */
function letsInAll({ registrationMode: mode, privacy }: AuctionRecord): boolean {
  return mode === 'open' || (mode === 'approval' && privacy === 'private');
}

/** The status of somebody who asks; what was decided of them before stays. */
async function statusAfter(
  record: AuctionRecord,
  before: Bidder | null,
  mayBid: () => Promise<boolean>,
): Promise<BidderStatus> {
  if (before !== null && before.status !== 'deposit_due') return before.status;
  if (letsInAll(record)) return 'approved';
  if (record.registrationMode === 'approval') return 'pending';
  return (await mayBid()) ? 'approved' : 'deposit_due';
}

/**
 * Decides a registration; what the decision does not name stays. In an auction with a deposit an approval does not
 * take its place: the bidder owes it, unless the decision waives it. Throws 404 for one that this auction of this
 * team does not have, and the journal's faults.
 */
export async function decideRegistration(
  parts: RegistrationParts,
  scope: { readonly teamId: number; readonly auctionId: number; readonly registrationId: number },
  decision: Decision,
  deciderId: number,
): Promise<RegistrationOutcome> {
  const { auctionId, registrationId } = scope;
  await requireTeamsAuction(parts.knex, scope.teamId, auctionId);
  const found = await readRow(parts.knex, auctionId, { registrationId });
  if (found === null) throw notFound('There is no such registration.');
  // An answer must not tell whether an invited address has an account.
  if (decision.paddle !== undefined && !found.is_known)
    throw invalid({ paddle_number: ['Paddles can be given once the bidder has registered.'] });
  const { user_id: userId } = found;
  if (userId === null) return decideInDraft(parts.knex, found, decision, deciderId);
  return changingBidder(parts.knex, auctionId, userId, async (trx) =>
    (await isDraft(trx, auctionId))
      ? decideInDraft(trx, found, decision, deciderId)
      : applyDecision(parts, trx, found, decision, deciderId),
  );
}

/**
 * Makes a decision on somebody with an account hold in the journal. The caller has seen to it that nobody else changes
 * them.
 */
export async function applyDecision(
  parts: RegistrationParts,
  trx: Knex.Transaction,
  found: RegistrationRow,
  decision: Decision,
  deciderId: number,
): Promise<RegistrationOutcome> {
  const { id, auction_id: auctionId } = found;
  const userId = accountOf(found);
  const { journal } = parts;
  const known = await readBidder(journal, auctionId, userId);
  const before = known ?? newBidder(userId);
  const paddle = await paddleAfter(journal, auctionId, before, decision);
  const columns = {
    ...(decision.paddle === undefined ? {} : { floor_paddle: true }),
    ...(decision.status === undefined ? {} : { decided_by_user_id: deciderId }),
    ...(decision.waiveDeposit === undefined ? {} : { deposit_waived: decision.waiveDeposit }),
    // The journal keeps it with whatever is saved next, which may come before the projection.
    ...(decision.reason === undefined ? {} : { reason: decision.reason }),
  };
  if (Object.keys(columns).length > 0) await trx('registrations').where('id', id).update(columns);
  const wanted = decision.status ?? before.status;
  const reason = decision.reason === undefined ? found.reason : decision.reason;
  const saved = await journal.saveBidder(
    auctionId,
    {
      ...before,
      paddle,
      status: await statusWithDeposit(parts, trx, auctionId, userId, wanted),
      limitCents: decision.limitCents === undefined ? before.limitCents : decision.limitCents,
    },
    reason,
  );
  const shown = await registered(parts, trx, saved, { auctionId, userId }, known === null);
  const decidedAt = decision.status === undefined ? shown.row.decided_at : isoFromUs(journal.nowUs());
  return { ...shown, row: { ...shown.row, reason, decided_at: decidedAt } };
}

/** An admitted bidder owes the deposit first, if the auction requires one. */
async function statusWithDeposit(
  parts: RegistrationParts,
  trx: Knex.Transaction,
  auctionId: number,
  userId: number,
  wanted: BidderStatus,
): Promise<BidderStatus> {
  if (wanted !== 'approved' && wanted !== 'deposit_due') return wanted;
  const record = await parts.journal.loadRecord(auctionId);
  if (record?.registrationMode !== 'deposit') return wanted;
  return (await coversDeposit(parts, trx, auctionId, userId)) ? 'approved' : 'deposit_due';
}

/** Throws 404 unless the auction is the team's. */
export async function requireTeamsAuction(knex: Knex, teamId: number, auctionId: number): Promise<void> {
  const row = await knex('auctions').where({ id: auctionId, team_id: teamId }).first('id');
  if (row === undefined) throw notFound('There is no such auction.');
}
