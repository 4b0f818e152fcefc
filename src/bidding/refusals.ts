/** What the rules of the engine refuse, as refusals of the service. One exhaustive table says which becomes what. */
import type { RefusalCode, Refused } from '../../engine/lot/answers.ts';
import type { ShownFields } from '../../engine/lot/shown-fields.ts';
import { formatCents } from '../../engine/money.ts';
import { isoFromUs } from '../../engine/time.ts';
import { Refusal, type RefusalCode as ServiceCode } from '../shared/refusal.ts';

/** Null: there is no such lot for the caller. */
export const ENGINE_REFUSALS: Readonly<Record<RefusalCode, ServiceCode | null>> = {
  not_visible: null,
  bid_unknown: null,
  lot_withdrawn: 'lot_withdrawn',
  auction_paused: 'auction_paused',
  lot_closed: 'lot_closed',
  lot_not_started: 'lot_not_started',
  seller_cannot_bid: 'seller_cannot_bid',
  bidder_suspended: 'bidder_suspended',
  verification_required: 'verification_required',
  registration_required: 'registration_required',
  registration_pending: 'registration_pending',
  deposit_required: 'deposit_required',
  currency_mismatch: 'currency_mismatch',
  max_not_increased: 'max_not_increased',
  bid_too_low: 'bid_too_low',
  bid_not_leading: 'bid_not_leading',
  combinations_not_open: 'combinations_not_open',
  bid_limit_exceeded: 'bid_limit_exceeded',
  bid_confirmation_required: 'bid_confirmation_required',
  buy_now_unavailable: 'buy_now_unavailable',
  not_enough_left: 'not_enough_left',
  withdrawal_not_allowed: 'withdrawal_not_allowed',
  not_in_final_round: 'not_in_final_round',
  sealing_unavailable: 'sealing_unavailable',
  field_unused: 'validation_failed',
  already_voided: 'already_voided',
  not_last_call: 'already_voided',
  undo_too_late: 'invalid_transition',
  undo_limit: 'invalid_transition',
  undo_staff_only: 'invalid_transition',
  lot_without_bids: 'invalid_transition',
  lot_locked: 'lot_locked',
  lot_already_sold: 'lot_already_sold',
  invalid_transition: 'invalid_transition',
  admin_required: 'invalid_transition',
  floor_duplicate: 'lot_already_sold',
  floor_stale: 'invalid_transition',
  hammer_not_total: 'invalid_transition',
  // The engine follows it to the lot that decides.
  offered_elsewhere: 'overloaded',
  choice_pending: 'choice_pending',
  choice_over: 'choice_over',
  choice_of_another: 'forbidden',
  choice_unknown: 'validation_failed',
};

/** A refusal by the rules, with the lot's state unless the caller may not see it. */
export function refusalOf(refused: Refused, replayed = false): Refusal {
  const code = ENGINE_REFUSALS[refused.code];
  if (code === null) return new Refusal('not_found', { message: 'There is no such lot.', replayed });
  if (refused.code === 'field_unused') return unusedField(refused.fields ?? {}, replayed);
  const { least, ...fields } = refused.fields ?? {};
  const data = {
    current_bid: formatCents(refused.currentCents, refused.decimals),
    minimum_next_bid: formatCents(refused.minimumNextCents, refused.decimals),
    end_time: isoFromUs(refused.endsAtUs),
    ...fields,
  };
  if (code !== 'bid_too_low') return new Refusal(code, { data, replayed });
  // Of sealed bids it may be more than the lot's, as what the bidder has bid before.
  const message = `The bid must be at least ${least ?? data.minimum_next_bid}.`;
  return new Refusal(code, { message, data, errors: { amount: [message] }, replayed });
}

/** A field of a bid that lots of another format have, or lots that are not of the sale. */
function unusedField({ field, of_sale: ofSale }: ShownFields, replayed: boolean): Refusal {
  const name = String(field);
  const sentence = ofSale
    ? 'The lot_ids must be lots of one sale of parcels, with the lot that is named.'
    : `The ${name} field is not used on this lot.`;
  return new Refusal('validation_failed', { errors: { [name]: [sentence] }, replayed });
}
