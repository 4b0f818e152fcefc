/**
 * What is left to do after a sale, for its seller: lots to decide on, buyers who have not paid, what is to be
 * collected, and what money comes when. Every figure is a sum over rows that are in it.
 */
import type { Knex } from 'knex';
import { raw } from 'objection';
import { entryOf } from '../../../engine/first-of.ts';
import { totalCents } from '../../../engine/money.ts';
import type { Auction } from '../../bidding/records/auction.model.ts';
import { Invoice } from '../../billing/invoices/invoice.model.ts';
import { Settlement } from '../../billing/settlements/settlement.model.ts';
import { totalsOf } from '../../billing/settlements/settlement-lines.ts';
import { waitingFor } from '../../billing/settlements/settlements.ts';
import { INVOICE_POLICY } from '../../shared/policy/invoice-policy.ts';
import { requireAllowed } from '../../shared/policy/policy.ts';
import { invalidTransition } from '../../shared/refusal.ts';
import {
  type Decision,
  hasFallenThrough,
  type LotOutcome,
  readLotOutcomes,
  whyNot,
} from '../offers/lot-outcomes.ts';
import { type LotResult, readLotResults } from './lot-results.ts';

const DECISIONS = ['accept', 'offer', 'relist'] as const;

/** A lot that is over without a buyer who pays, and what may be done with it. */
export interface LotToDecide {
  readonly result: LotResult;
  /** Its winner did not pay. */
  readonly isDefaulted: boolean;
  readonly options: readonly Decision[];
  /** Open: nothing else is decided until it is answered. */
  readonly offer: { readonly amount_cents: number; readonly expires_at: string } | null;
}

export interface BuyerOfSale {
  readonly lots: readonly LotResult[];
  readonly boughtCents: bigint;
  readonly owedCents: bigint;
}

export interface AfterSale {
  readonly auction: Auction;
  readonly results: readonly LotResult[];
  readonly sold: readonly LotResult[];
  readonly hammerCents: bigint;
  readonly toDecide: readonly LotToDecide[];
  readonly unpaid: readonly LotResult[];
  readonly toCollect: readonly LotResult[];
  readonly collected: readonly LotResult[];
  readonly receivedCents: bigint;
  readonly owedCents: bigint;
  readonly buyers: readonly BuyerOfSale[];
  readonly settlement: SettlementOfSale | null;
}

export interface SettlementOfSale {
  readonly row: Settlement;
  readonly netCents: bigint;
  readonly waitingFor: readonly string[];
}

/** All of it, of an auction of the seller's. */
export async function readAfterSale(knex: Knex, auction: Auction): Promise<AfterSale> {
  const results = await readLotResults(knex, auction.id);
  const lots = new Map(results.map((lot) => [lot.id, lot]));
  const outcomes = await readLotOutcomes(knex, [...lots.keys()]);
  const fallen = new Set([...outcomes.values()].filter(hasFallenThrough).map(({ id }) => id));
  const sold = results.filter((lot) => lot.status === 'sold' && !fallen.has(lot.id));
  const billed = sold.filter(({ invoice_number: number }) => number !== null);
  const owing = billed.filter(({ invoice_status: status }) => status === 'open');
  const paid = billed.filter(({ invoice_status: status }) => status === 'paid');
  return {
    ...{ auction, results, sold },
    hammerCents: totalCents(sold, (lot) => lot.hammer_price_cents ?? 0),
    toDecide: [...lots.values()].flatMap((lot) => decisionOn(lot, entryOf(outcomes, lot.id))),
    unpaid: owing,
    toCollect: paid.filter(({ collected_at: at }) => at === null),
    collected: billed.filter(({ collected_at: at }) => at !== null),
    receivedCents: totalCents(paid, ({ amount_due_cents: cents }) => cents ?? 0),
    owedCents: totalCents(owing, owedOf),
    buyers: buyersOf(billed),
    settlement: await settlementOf(knex, auction.id),
  };
}

const owedOf = ({ owed_cents: cents }: LotResult) => Math.max(0, cents ?? 0);

function decisionOn(result: LotResult, outcome: LotOutcome): LotToDecide[] {
  const isDefaulted = hasFallenThrough(outcome);
  const isUnsold = outcome.standing === null && (outcome.status === 'passed' || outcome.status === 'unsold');
  if (outcome.relisted !== null || !(isDefaulted || isUnsold)) return [];
  const options = DECISIONS.filter((decision) => whyNot(decision, outcome) === null);
  const offer = outcome.offers.find(({ status }) => status === 'offered') ?? null;
  return [{ result, isDefaulted, options, offer }];
}

function buyersOf(billed: readonly LotResult[]): BuyerOfSale[] {
  const lots = new Map<number | null, LotResult[]>();
  for (const lot of billed) {
    const known = lots.get(lot.buyer_id);
    if (known === undefined) lots.set(lot.buyer_id, [lot]);
    else known.push(lot);
  }
  return [...lots.values()]
    .map((own) => ({
      lots: own,
      boughtCents: totalCents(own, ({ amount_due_cents: cents }) => cents ?? 0),
      owedCents: totalCents(own, (lot) => (lot.invoice_status === 'open' ? owedOf(lot) : 0)),
    }))
    .toSorted((a, b) => (a.lots[0]?.buyer ?? '').localeCompare(b.lots[0]?.buyer ?? ''));
}

async function settlementOf(knex: Knex, auctionId: number): Promise<SettlementOfSale | null> {
  const row = await Settlement.query(knex)
    .findOne({ auction_id: auctionId, kind: 'auction' })
    .withGraphFetched('[lines, adjustments]');
  if (row === undefined) return null;
  const { netCents } = totalsOf(row.lines ?? [], row.adjustments ?? []);
  return { row, netCents, waitingFor: row.status === 'draft' ? await waitingFor(knex, row) : [] };
}

const BETWEEN = "interval '20 hours'";

/**
 * Reminds the buyer of an open invoice of the team's, by id or number. Throws `invalid_transition` where it is not
 * open, or they were reminded within a day; undefined: there is no such invoice.
 */
export async function remindBuyer(knex: Knex, teamId: number, name: string): Promise<Invoice | undefined> {
  const column = name.startsWith('INV-') ? 'invoice_number' : 'id';
  const invoice = await Invoice.query(knex).findOne({ [column]: name, team_id: teamId, kind: 'winner' });
  if (invoice === undefined) return undefined;
  requireAllowed(INVOICE_POLICY, 'remind', invoice.status, 'member', {
    message: `The invoice is ${invoice.status}: there is nothing to remind of.`,
    data: { allowed: [] },
  });
  const reminded = await Invoice.query(knex)
    .where({ id: invoice.id, status: 'open' })
    .where((due) => due.whereNull('reminded_at').orWhereRaw(`reminded_at < now() - ${BETWEEN}`))
    .patch({ reminded_at: raw('now()') });
  if (reminded === 1) return Invoice.query(knex).findById(invoice.id);
  const message = 'The buyer was reminded within the last day.';
  // Not in the table: how long ago it was.
  throw invalidTransition(message);
}
