/** The simulation's own people, made in the database like any others, and the live lots that they bid on. */
import type { Knex } from 'knex';
import type { Journal } from '../../../engine/actor/journal.ts';
import { minimumNextCents } from '../../../engine/formats/formats.ts';
import { InputError } from '../../shared/input-error.ts';
import { importMarketplace } from '../import/import-marketplace.ts';

export interface SimulatedLot {
  readonly lotId: number;
  /** What the next bid must reach, as far as is known. */
  minimumCents: number;
}

/** Bidders with a token each. The same people each time, with new tokens. */
export async function simulatedTokens(
  knex: Knex,
  count: number,
): Promise<{ tokens: string[]; userIds: number[] }> {
  const name = `simulate-${Date.now().toString(36)}`;
  const users = Array.from({ length: count }, (_, index) => ({
    email: `simulated-${index + 1}@rostrum.example`,
    name: `Simulated bidder ${index + 1}`,
    verified: true,
    tokens: [{ name, abilities: ['read' as const, 'write' as const] }],
  }));
  const answer = await importMarketplace(knex, { users });
  const made = Object.values(answer.users);
  return { tokens: made.flatMap((user) => user.tokens[name] ?? []), userIds: made.map((user) => user.id) };
}

/** Takes the tokens of a run back. */
export async function revokeSimulated(knex: Knex, userIds: readonly number[]): Promise<void> {
  await knex('tokens')
    .whereRaw('user_id = any(?::bigint[])', [[...userIds]])
    .andWhere('name', 'like', 'simulate-%')
    .whereNull('revoked_at')
    .update({ revoked_at: knex.fn.now() });
}

/**
 * Up to `count` lots that take bids from anybody now: those that have let the platform in first, then those with the
 * most time left; floor sales only with a platform.
 */
export async function simulatedLots(
  knex: Knex,
  journal: Journal,
  count: number,
  type: 'timed' | 'simulcast',
  platform: string | null,
): Promise<SimulatedLot[]> {
  const rows: { lotId: number; auctionId: number }[] = await knex('lots')
    .join('auctions', 'auctions.id', 'lots.auction_id')
    .where({ 'auctions.status': 'active', 'lots.status': 'active', 'auctions.type': type })
    .whereRaw("auctions.registration_mode = 'open' and auctions.privacy_setting <> 'private'")
    .whereRaw('auctions.start_time <= now()')
    .orderByRaw('? = ANY (auctions.simulcast_platforms) DESC NULLS LAST', [platform])
    .orderBy([{ column: 'auctions.end_time', order: 'desc' }, { column: 'lots.id' }])
    .limit(count)
    .select('lots.id as lotId', 'lots.auction_id as auctionId');
  const lots = await Promise.all(
    rows.map(async ({ lotId, auctionId }) => {
      const [state, record] = await Promise.all([
        journal.load(auctionId, lotId),
        journal.loadRecord(auctionId),
      ]);
      return state === null || record === null
        ? []
        : [{ lotId, minimumCents: minimumNextCents(state, record, journal.nowUs()) }];
    }),
  );
  const found = lots.flat();
  if (found.length === 0)
    throw new InputError(`lots: no ${type} lot is open for bids; import some, or run "seed demo"`);
  return found;
}
