/**
 * Settlements in the ledger: what the house takes of an auction's sales follows their lines, and the pay-out is what
 * the seller is owed then. The caller holds the team's money.
 */
import type { Knex } from 'knex';
import { totalCents } from '../../../engine/money.ts';
import type { Account } from '../ledger/chart-of-accounts.ts';
import { type Entry, entryCount, post, postedSums } from '../ledger/post.ts';
import type { Adjustment, Settlement } from './settlement.model.ts';
import { type SettlementLine, totalsOf } from './settlement-lines.ts';

/** Posts what these lines differ by from what was posted of them; doing it twice changes nothing. */
export async function postLines(
  trx: Knex.Transaction,
  { id, auction_id: auctionId, currency }: Settlement,
  lines: readonly SettlementLine[],
): Promise<void> {
  const { commissionCents, feesCents } = totalsOf(lines);
  const atPlatforms = lines.filter((line) => line.settled_by === 'platform');
  const wanted: Partial<Record<Account, bigint>> = {
    commission: -commissionCents,
    fees: -feesCents,
    at_platforms: totalCents(atPlatforms, (line) => line.hammer_cents),
  };
  const sums = await postedSums(trx, 'settlement_id', id, 'commission');
  const posted = new Map(sums.map(({ account, amount }) => [account, BigInt(amount)]));
  const about = { settlementId: id, auctionId };
  const entries: Entry[] = (['commission', 'fees', 'at_platforms'] as const).map((account) => ({
    account,
    amount: (wanted[account] ?? 0n) - (posted.get(account) ?? 0n),
    ...about,
  }));
  const rest = -totalCents(entries, ({ amount }) => amount);
  const cause = `commission:${id}:${await entryCount(trx, 'settlement_id', id)}`;
  const all = [...entries, { account: 'owed_to_sellers' as const, amount: rest, ...about }];
  await post(trx, { cause, kind: 'commission', currency, entries: all });
}

/** Posts a pay-out: of the settlement's own auction, and of those whose later changes it carries. */
export async function postPayout(
  trx: Knex.Transaction,
  { id, auction_id, currency }: Settlement,
  payoutCents: bigint,
  carried: readonly Adjustment[],
): Promise<void> {
  const others = carried.map((row) => ({
    auctionId: row.auction_id,
    amount: row.amount_cents - row.commission_cents,
  }));
  const own = payoutCents - totalCents(others, ({ amount }) => amount);
  const owed = [{ auctionId: auction_id, amount: own }, ...others].map(
    (one): Entry => ({ account: 'owed_to_sellers', settlementId: id, ...one }),
  );
  const paid: Entry = { account: 'paid_out', amount: -payoutCents, settlementId: id };
  await post(trx, { cause: `payout:${id}`, kind: 'payout', currency, entries: [...owed, paid] });
}
