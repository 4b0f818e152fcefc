/**
 * Changing one bidder's registration in an auction: the journal takes whole registrations, so every change of one (by a
 * bidder, a seller, the payment of a deposit) goes through here, one at a time.
 */
import type { Knex } from 'knex';
import { aliasFrom } from '../../../engine/actor/auction-cache.ts';
import type { Journal } from '../../../engine/actor/journal.ts';
import { type AuctionRecord, type Bidder, userKey } from '../../../engine/auction/record.ts';
import { formatOfAuction } from '../../../engine/formats/formats.ts';
import { newSalt } from '../../shared/node-crypto.ts';
import { invalid } from '../../shared/refusal.ts';
import type { RegistrationDecision } from '../../shared/statuses/registration-statuses.ts';
import { holdName } from '../../shared/transactions.ts';
import type { RegistrationRow } from './registration-rows.ts';

/** What deposits have to do with registrations; the billing side hands it in. */
export interface DepositPort {
  /**
   * The number of the bidder's deposit invoice, made where there is none; null where the auction requires no deposit.
   */
  open(trx: Knex.Transaction, auctionId: number, userId: number): Promise<string | null>;
  /** Whether the bidder's deposit is paid and has not been refunded. */
  isPaid(knex: Knex, auctionId: number, userId: number): Promise<boolean>;
  /** The numbers of these bidders' deposit invoices that are owed or paid, by user. */
  numbers(knex: Knex, auctionId: number, userIds: readonly number[]): Promise<ReadonlyMap<number, string>>;
}

/** A registration's row and what the journal says of its bidder, which is ahead of the row. */
export interface Registered {
  readonly row: RegistrationRow;
  readonly bidder: Bidder | null;
}

export interface RegistrationOutcome extends Registered {
  readonly isNew: boolean;
  readonly depositInvoiceNumber: string | null;
}

export interface Decision {
  readonly status?: RegistrationDecision | undefined;
  /** Null: the auction's limit counts. */
  readonly limitCents?: number | null | undefined;
  readonly reason?: string | null | undefined;
  /** Whether they bid without a deposit where the auction requires one; what is left out stays. */
  readonly waiveDeposit?: boolean | undefined;
  /** The paddle that the bidder holds on the floor: from then on its calls count as theirs. */
  readonly paddle?: string | undefined;
}

/** Runs `work` while nobody else changes this bidder's registration; other processes wait too. */
export function changingBidder<T>(
  knex: Knex,
  auctionId: number,
  userId: number,
  work: (trx: Knex.Transaction) => Promise<T>,
): Promise<T> {
  return knex.transaction(async (trx) => {
    await holdName(trx, `${auctionId}:${userId}`, 9);
    return work(trx);
  });
}

/** Somebody whom the auction does not know yet. */
export function newBidder(userId: number): Bidder {
  const alias = aliasFrom(newSalt());
  return { key: userKey(userId), userId, alias, paddle: null, status: 'pending', limitCents: null };
}

/** Whether a bid would register its bidder too: none is refused for want of it, so no process is out of date. */
export function bidsRegister(record: AuctionRecord): boolean {
  return record.conditions === undefined && formatOfAuction(record).sealed === undefined;
}

/** What the journal says of a bidder in an auction; null where it does not know them. */
export async function readBidder(
  journal: Pick<Journal, 'loadBidders'>,
  auctionId: number,
  userId: number,
): Promise<Bidder | null> {
  const key = userKey(userId);
  return (await journal.loadBidders(auctionId, [key])).get(key)?.bidder ?? null;
}

/** Whether a bidder may bid here without a deposit: their seller has said so. */
export async function isDepositWaived(knex: Knex, auctionId: number, userId: number): Promise<boolean> {
  const row = await knex('registrations')
    .where({ auction_id: auctionId, user_id: userId })
    .first<{ deposit_waived: boolean } | undefined>('deposit_waived');
  return row?.deposit_waived ?? false;
}

/** The bidder's paddle after the decision. Throws 422 for one that is another's, or that they cannot have. */
export async function paddleAfter(
  journal: Journal,
  auctionId: number,
  before: Bidder,
  { paddle, status }: { readonly paddle?: string | undefined; readonly status?: string | undefined },
): Promise<string | null> {
  if (paddle === undefined || paddle === before.paddle) return before.paddle;
  const refuseIt = (sentence: string) => invalid({ paddle_number: [sentence] });
  // Not in the table: two fields of one decision that go together.
  if ((status ?? before.status) !== 'approved')
    throw refuseIt('A paddle can only be given with an approval.');
  if (before.paddle !== null) throw refuseIt(`The bidder already has paddle ${before.paddle}.`);
  const holder = await journal.findPaddle(auctionId, paddle);
  if (holder !== null && holder !== before.key) throw refuseIt('Another bidder has this paddle.');
  return paddle;
}
