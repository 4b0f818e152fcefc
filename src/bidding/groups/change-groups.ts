/** Setting up a bid group, and stopping it. What would be refused of a bid is refused here with the same words. */
import type { Knex } from 'knex';
import { raw } from 'objection';
import type { Principal } from '../../../adapters/http/endpoint.ts';
import type { LotState } from '../../../engine/lot/state.ts';
import { decimalsOf, formatCents, parseCents } from '../../../engine/money.ts';
import { User } from '../../accounts/models/user.model.ts';
import { type FieldErrors, invalid, notFound, Refusal } from '../../shared/refusal.ts';
import { seal } from '../../shared/sealed.ts';
import { isOpenLot } from '../../shared/statuses/lot-statuses.ts';
import { findVisibleAuction } from '../../shared/visibility/read-visibility.ts';
import { AMOUNT_SENTENCE } from '../bids/bid.schema.ts';
import { bidderOf } from '../bids/place-bid.ts';
import { Lot } from '../records/lot.model.ts';
import { refusalOf } from '../refusals.ts';
import { BidGroup, BidGroupLot } from './group.model.ts';
import { type AgentParts, workOnGroup } from './group-agent.ts';
import { findGroup, type GroupInFull } from './read-groups.ts';
import { type TrialParts, tryBid } from './trial.ts';

export interface ChangeParts extends AgentParts {
  readonly engine: AgentParts['engine'] & TrialParts['engine'];
}

export interface NewGroup {
  readonly auctionId: number;
  readonly wanted: number;
  /** In order of wish; amounts as they were sent. */
  readonly lots: readonly { readonly lotId: number; readonly maxAmount: string | number }[];
}

/** Who sets it up, and from where. */
export interface Founder {
  readonly principal: Principal;
  /** Null: from nowhere that is known. */
  readonly ip: string | null;
  readonly browser: string;
}

type Found = GroupInFull & { readonly stale: boolean };

/** Groups of one person that are at work. */
const MAX_AT_WORK = 50;
/** The agent waits for what may pass by itself. */
const PASSES: readonly string[] = ['lot_not_started', 'auction_paused', 'max_not_increased'];

/**
 * Sets it up and lets the agent begin. Throws 404 for an auction that the person does not see, 422 for lots and amounts
 * that are none, and what a bid would be refused for.
 */
export async function createGroup(parts: ChangeParts, founder: Founder, wish: NewGroup): Promise<Found> {
  const { principal } = founder;
  const { userId } = principal;
  if (!(await findVisibleAuction(parts.knex, wish.auctionId, principal)))
    throw notFound('There is no such auction.');
  const ceilings = await readCeilings(parts.knex, wish);
  await requireBids(parts, principal, wish, ceilings);
  const group = await parts.knex.transaction(async (trx) => {
    await User.query(trx).findById(userId).forUpdate();
    const atWork = BidGroup.query(trx).where({ user_id: userId, status: 'active' });
    if ((await atWork.resultSize()) >= MAX_AT_WORK)
      throw invalid({ lots: [`A person has at most ${MAX_AT_WORK} groups at work: stop one first.`] });
    const origin = originOf(parts, founder);
    const made = await BidGroup.query(trx)
      .insert({ user_id: userId, auction_id: wish.auctionId, wanted: wish.wanted, origin })
      .returning('*');
    await BidGroupLot.query(trx).insert(
      wish.lots.map(({ lotId }, position) => ({
        ...{ group_id: made.id, lot_id: lotId, position },
        max_cents: ceilings[position] ?? 0,
      })),
    );
    return made;
  });
  // The workers do what is not done here.
  await workOnGroup(parts, group.id).catch((error: unknown) => parts.onError(error, group.id));
  return requireGroup(parts, userId, group.id);
}

function originOf({ appSecrets }: ChangeParts, { ip, browser }: Founder): string | null {
  return ip === null ? null : seal(`${ip}\n${browser.slice(0, 300)}`, appSecrets);
}

/** The agent bids no more; its bids stand. Stopping what is stopped or done changes nothing. Throws 404. */
export async function stopGroup(parts: AgentParts, userId: number, id: number): Promise<Found> {
  await BidGroup.query(parts.knex)
    .where({ id, user_id: userId, status: 'active' })
    .patch({ status: 'stopped', version: raw('version + 1') });
  return requireGroup(parts, userId, id);
}

/** Throws 404 where it is none of theirs. */
export async function requireGroup(parts: AgentParts, userId: number, id: number): Promise<Found> {
  const found = await findGroup(parts, userId, id);
  if (found === null) throw notFound('There is no such bid group.');
  return found;
}

/** The amounts in the smallest unit of the auction's currency, in their order. Throws 422. */
async function readCeilings(knex: Knex, { auctionId, wanted, lots }: NewGroup): Promise<number[]> {
  const errors: Record<string, string[]> = {};
  if (wanted > lots.length) errors['wanted'] = ['No more can be wanted than lots are named.'];
  if (new Set(lots.map(({ lotId }) => lotId)).size < lots.length) errors['lots'] = ['Name each lot once.'];
  const rows = await Lot.query(knex)
    .alias('l')
    .join('auctions as a', 'a.id', 'l.auction_id')
    .whereIn(
      'l.id',
      lots.map(({ lotId }) => lotId),
    )
    .where('l.auction_id', auctionId)
    .whereNot('l.status', 'draft')
    .select('l.id', 'a.currency');
  // Cast: the currency comes with the join.
  const known = new Map((rows as (Lot & { currency: string })[]).map(({ id, currency }) => [id, currency]));
  const ceilings = lots.map(({ lotId, maxAmount }, at) => {
    const currency = known.get(lotId);
    if (currency === undefined) {
      errors[`lots.${at}.lot_id`] = ['This is no lot of the auction.'];
      return 0;
    }
    const cents = parseCents(maxAmount, decimalsOf(currency));
    if (cents !== null && cents > 0) return cents;
    errors[`lots.${at}.max_amount`] = [AMOUNT_SENTENCE];
    return 0;
  });
  if (Object.keys(errors).length > 0) throw invalid(errors);
  return ceilings;
}

/** Throws what a bid on the first lot that would be refused is refused for. */
async function requireBids(
  parts: ChangeParts,
  principal: Principal,
  { auctionId, lots }: NewGroup,
  ceilings: readonly number[],
): Promise<void> {
  const bidder = bidderOf(principal);
  for (const [at, { lotId }] of lots.entries()) {
    const state: LotState | null = await parts.journal.load(auctionId, lotId);
    if (state === null) {
      await requireOpen(parts.knex, lotId);
      continue;
    }
    const refused = await tryBid(parts, state, bidder, ceilings[at] ?? 0);
    if (refused === null || PASSES.includes(refused.code)) continue;
    const refusal = refusalOf(refused);
    if (refused.code !== 'bid_too_low') throw refusal;
    const least = formatCents(refused.minimumNextCents, refused.decimals);
    const message = `The maximum for lot ${state.lotNumber} must be at least ${least}.`;
    const errors: FieldErrors = { [`lots.${at}.max_amount`]: [message] };
    throw new Refusal('bid_too_low', { message, errors, data: refusal.data ?? {} });
  }
}

/** Of a lot that the journal does not have: not yet, or no more. */
async function requireOpen(knex: Knex, lotId: number): Promise<void> {
  const lot = await Lot.query(knex).findById(lotId);
  if (lot !== undefined && !isOpenLot(lot.status))
    throw new Refusal(lot.status === 'withdrawn' ? 'lot_withdrawn' : 'lot_closed');
}
