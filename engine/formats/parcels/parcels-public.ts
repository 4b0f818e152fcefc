/** What the world may see of a sale of tracts' events, in the form that the hash chain is taken over (RFC 8785). */
import { canonicalJson } from '../../canonical.ts';
import { type Commit, publicForm } from '../../lot/common-events.ts';
import { type Decimals, formatCents } from '../../money.ts';
import { isoFromUs } from '../../time.ts';
import type {
  ParcelsBidPlaced,
  ParcelsEvent,
  ParcelsHammerFell,
  ParcelsLotClosed,
  ParcelsLotWithdrawn,
} from './parcels-events.ts';
import { endOf } from './parcels-held.ts';
import { publicSettings, saltOf } from './parcels-settings.ts';

/** The public form of an event as canonical JSON, with the decimals of the lot's currency. */
export function publicText(event: ParcelsEvent, decimals: Decimals, commit: Commit): string {
  return canonicalJson(formOf(event, decimals, commit));
}

function formOf(event: ParcelsEvent, decimals: Decimals, commit: Commit): Record<string, unknown> {
  const amount = (cents: number) => formatCents(cents, decimals);
  switch (event.type) {
    case 'bid_placed':
      return placedForm(event, amount);
    case 'bid_voided': {
      const { bidId: bid_id, reason, sequence, type, undone } = event;
      return { bid_id, reason, sequence, type, ...leads(event, amount), ...(undone ? { undone } : null) };
    }
    case 'lot_scheduled': {
      const { settings = {}, salt } = event;
      const form = publicForm({ ...event, reserveCents: null, settings: {} }, decimals, commit);
      return { ...form, ...publicSettings(settings, { salt, decimals, commit }) };
    }
    case 'terms_changed': {
      const { lotId, salt } = event;
      const own: Commit = (_, cents) => commit(saltOf(salt, lotId ?? 0), cents);
      return { ...publicForm(event, decimals, own), ...lotOf(event) };
    }
    case 'lot_withdrawn': {
      const withdrawn: ParcelsLotWithdrawn = event;
      return { ...publicForm(event, decimals, commit), ...lotOf(event), ...leads(withdrawn, amount) };
    }
    case 'hammer_fell':
      return fallForm(event, amount);
    case 'lot_closed':
      return { ...publicForm(event, decimals, commit), ...lotOf(event), set: setForm(event, amount) };
    default:
      return { ...publicForm(event, decimals, commit), ...('lotId' in event ? lotOf(event) : null) };
  }
}

type Amount = (cents: number) => string;

function lotOf({ lotId }: { readonly lotId?: number }): { readonly lot_id?: number } {
  return lotId === undefined ? {} : { lot_id: lotId };
}

function leads({ leading, totalCents }: Pick<ParcelsLotWithdrawn, 'leading' | 'totalCents'>, amount: Amount) {
  if (leading === undefined || totalCents === undefined) return {};
  return { leading: leading.map(({ bid_id }) => bid_id), total: amount(totalCents) };
}

function placedForm(event: ParcelsBidPlaced, amount: Amount): Record<string, unknown> {
  const { alias, paddle } = event.bidder;
  return {
    amount: amount(event.amountCents),
    bid_id: event.bidId,
    bidder: { alias, paddle_number: paddle },
    channel: event.channel,
    extended_to: event.extendedToUs === null ? null : isoFromUs(event.extendedToUs),
    ...leads(event, amount),
    lot_ids: event.lotIds,
    outcome: event.outcome,
    sequence: event.sequence,
    type: event.type,
  };
}

/** What it comes to is what the bids that lead then have bid, which is told with each of them. */
function fallForm({ sequence, type, untilUs, closes }: ParcelsHammerFell, amount: Amount) {
  const sold = closes.filter(({ status }) => status === 'sold');
  const cents = sold.reduce((sum, { hammerCents }) => sum + (hammerCents ?? 0), 0);
  return {
    hammer_price: sold.length === 0 ? null : amount(cents),
    sequence,
    status: endOf(closes),
    type,
    until: isoFromUs(untilUs),
    winner: null,
  };
}

function setForm({ set }: ParcelsLotClosed, amount: Amount): Record<string, unknown> | null {
  return set == null ? null : { amount: amount(set.amountCents), bid_id: set.bidId, lot_ids: set.lotIds };
}
