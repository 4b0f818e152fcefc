/**
 * Opening commitments: once a lot is over, salt and amount of each that decided its result, so that anyone can replay
 * it. What nobody has beaten stays closed, the winner's ceiling above all: the price shows only what the second-best
 * would have paid. Everybody may open their own, at any time.
 */

import type { Knex } from 'knex';
import type { AuctionRecord } from '../../../engine/auction/record.ts';
import { commitmentTo } from '../../../engine/digest.ts';
import { decodeEvents, evolve, formatOf, NO_LOT } from '../../../engine/formats/formats.ts';
import type { LotEvent } from '../../../engine/lot/events.ts';
import type { OpenedSecret } from '../../../engine/lot/format.ts';
import { type Decimals, decimalsOf, formatCents } from '../../../engine/money.ts';
import { nodeDigest } from '../../shared/node-crypto.ts';
import { type EntrySources, readEntriesAfter } from '../journal/lot-entries.ts';
import { readAuctionRow } from '../records/auction-rows.ts';

export interface Opening {
  /** Of the event that holds the commitment. */
  readonly sequence: number;
  readonly kind: 'reserve' | 'ceiling';
  readonly bid_id: string | null;
  readonly commitment: string;
  readonly salt: string;
  /** Decimal string; the commitment is over whole cents. */
  readonly amount: string;
}

/** What a replay needs of the auction alongside the journal. */
export interface ReplayTerms {
  readonly type: 'timed' | 'simulcast';
  readonly currency: string;
  readonly increments: readonly { readonly from: string; readonly increment: string }[];
  readonly soft_close: {
    readonly window_seconds: number;
    readonly extension_seconds: number;
    readonly max_extensions: number | null;
    /** Bids before this moment were decided by other terms; null: these have always applied. */
    readonly since: string | null;
  };
}

/** An auction's present terms; null if it does not exist. */
export async function readReplayTerms(knex: Knex, auctionId: number): Promise<ReplayTerms | null> {
  const row = await readAuctionRow(knex, auctionId);
  if (row === null) return null;
  const changed = await knex('auctions')
    .where('id', auctionId)
    .first<{ soft_close_changed_at: string | null } | undefined>('soft_close_changed_at');
  return replayTermsOf(row, changed?.soft_close_changed_at ?? null);
}

export function replayTermsOf(
  {
    type,
    currency,
    increments,
    softClose,
  }: Pick<AuctionRecord, 'type' | 'currency' | 'increments' | 'softClose'>,
  since: string | null = null,
): ReplayTerms {
  return {
    type,
    currency,
    increments: increments.map(({ fromCents, incrementCents }) => ({
      from: formatCents(fromCents, decimalsOf(currency)),
      increment: formatCents(incrementCents, decimalsOf(currency)),
    })),
    soft_close: {
      window_seconds: softClose.windowSeconds,
      extension_seconds: softClose.extensionSeconds,
      max_extensions: softClose.maxExtensions,
      since,
    },
  };
}

export interface Openings {
  /** Whether the lot is over: before that nothing but one's own is opened. */
  readonly closed: boolean;
  readonly openings: Opening[];
}

/** What may be opened of a lot; with `ownerId` that user's own commitments, whatever became of them. */
export async function readOpenings(
  sources: EntrySources,
  lotIds: { readonly auctionId: number; readonly lotId: number },
  ownerId: number | null,
): Promise<Openings> {
  const entries = await readEntriesAfter(sources, lotIds, 0);
  return openingsOf(
    entries.flatMap(({ privateText }) => decodeEvents(privateText)),
    ownerId,
  );
}

/** The same of a whole history. */
export function openingsOf(events: readonly LotEvent[], ownerId: number | null): Openings {
  const [first] = events;
  if (first === undefined) return { closed: false, openings: [] };
  const { closed, secrets } = formatOf(evolve(NO_LOT, first)).openings(events, ownerId);
  const decimals = decimalsIn(events);
  return { closed, openings: secrets.map((secret) => opened(secret, decimals)) };
}

/** The decimal places of the amounts of a history. */
export function decimalsIn(events: readonly LotEvent[]): Decimals {
  return events.find((event) => event.type === 'lot_scheduled')?.decimals ?? 2;
}

function opened({ sequence, kind, bidId, salt, cents }: OpenedSecret, decimals: Decimals): Opening {
  const commitment = commitmentTo(nodeDigest, salt, cents);
  return { sequence, kind, bid_id: bidId, commitment, salt, amount: formatCents(cents, decimals) };
}
