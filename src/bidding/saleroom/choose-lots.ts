/**
 * The online winner of lots that are offered together chooses among them (rule 25), over the API or on the lot's page.
 * What is chosen is in the journal of the lot that carried the bidding before this answers, and with it in those of the
 * others.
 */
import type { Principal } from '../../../adapters/http/endpoint.ts';
import type { Engine } from '../../../engine/actor/engine.ts';
import type { Journal } from '../../../engine/actor/journal.ts';
import type { IdempotencyKey } from '../../../engine/actor/pending-command.ts';
import type { LotState } from '../../../engine/lot/state.ts';
import { formatCents } from '../../../engine/money.ts';
import { invalid, notFound, Refusal } from '../../shared/refusal.ts';
import { bidderOf } from '../bids/place-bid.ts';
import { refusalOf } from '../refusals.ts';
import { newRow } from '../simulcast/floor-commands.ts';

export interface ChoiceParts {
  readonly engine: Pick<Engine, 'submit'>;
  readonly journal: Pick<Journal, 'load'>;
  /** The auction of a lot; null: there is no such lot. */
  readonly auctionOf: (lotId: number) => Promise<number | null>;
}

export interface ChosenLot {
  readonly lot_id: number;
  readonly lot_number: number;
  readonly hammer_price: string | null;
}

/**
 * Chooses these lots for the caller. Throws 404 for a lot that is not theirs to see, 403 for somebody who has not won,
 * 409 `choice_over` once there is nothing to choose, 422 under `lot_ids`, and the journal's faults.
 */
export async function chooseLots(
  { engine, journal, auctionOf }: ChoiceParts,
  lotId: number,
  principal: Principal,
  lotIds: readonly number[],
  key: string | undefined,
): Promise<readonly ChosenLot[]> {
  const command = {
    type: 'choose_lots' as const,
    bidder: bidderOf(principal),
    lotIds,
    rows: lotIds.map(newRow),
  };
  const record = keyOf(principal, lotId, key, lotIds);
  const result = await engine.submit(lotId, command, record);
  if (result.kind === 'key_reused') throw new Refusal('idempotency_key_reused');
  if (result.kind !== 'answer') throw notFound('There is no such lot.');
  const { answer } = result;
  if (answer.kind === 'refused') {
    if (answer.code === 'choice_unknown')
      throw invalid({ lot_ids: ['The lot_ids must be lots of the group that are still offered.'] });
    // A lot that has left the journal refuses everything alike.
    throw answer.code === 'lot_closed' ? new Refusal('choice_over') : refusalOf(answer, result.replayed);
  }
  const auctionId = await auctionOf(lotId);
  const states = await Promise.all(lotIds.map((id) => journal.load(auctionId ?? 0, id)));
  return states
    .filter((state) => state !== null)
    .toSorted((one, other) => one.lotNumber - other.lotNumber)
    .map(chosen);
}

function chosen({ lotId, lotNumber, hammerCents, decimals }: LotState): ChosenLot {
  const hammer = hammerCents === null ? null : formatCents(hammerCents, decimals);
  return { lot_id: lotId, lot_number: lotNumber, hammer_price: hammer };
}

function keyOf(
  { userId }: Principal,
  lotId: number,
  key: string | undefined,
  lotIds: readonly number[],
): IdempotencyKey | null {
  if (key === undefined) return null;
  const ids = lotIds.toSorted((one, other) => one - other);
  return { field: `${userId}|${lotId}|${key}`, fingerprint: `choice|${ids.join()}` };
}
