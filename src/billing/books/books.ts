/**
 * The books of an auction: sales, payments, refunds and debts. Every figure has one source, and the checks compare it
 * with the others, so that a lost cent shows as a difference. The command line and the office call this.
 */
import type { Knex } from 'knex';
import { Auction } from '../../bidding/records/auction.model.ts';
import { notFound } from '../../shared/refusal.ts';
import { readBookRows } from './book-rows.ts';
import { type Difference, findDifferences } from './checks.ts';
import { addUp, type BookTotals } from './totals.ts';

export interface Books {
  readonly ok: boolean;
  readonly currency: string;
  readonly totals: BookTotals;
  /** Empty where the sums meet. */
  readonly differences: readonly Difference[];
}

/** Reads the books. Throws `not_found`. */
export function readBooks(knex: Knex, auctionId: number): Promise<Books> {
  return knex.transaction(
    async (trx) => {
      const auction = await Auction.query(trx).findById(auctionId);
      if (auction === undefined) {
        throw notFound(`auction: there is no auction ${auctionId}`);
      }
      const rows = await readBookRows(trx, auctionId, auction.currency);
      const totals = addUp(rows);
      const differences = findDifferences(rows, totals);
      return { ok: differences.length === 0, currency: auction.currency, totals, differences };
    },
    { isolationLevel: 'repeatable read', readOnly: true },
  );
}
