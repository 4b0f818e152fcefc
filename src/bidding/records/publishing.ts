/**
 * Putting an auction under the engine: its record first, then its lots. Every step may be repeated by anybody at any
 * time, so a process that finds an auction half published (after a crash, or an import) simply publishes it again.
 */
import type { Knex } from 'knex';
import type { Engine } from '../../../engine/actor/engine.ts';
import type { Journal } from '../../../engine/actor/journal.ts';
import type { AuctionRecord } from '../../../engine/auction/record.ts';
import { newSalt } from '../../shared/node-crypto.ts';
import { isLive, LIVE_AUCTION_SQL } from '../../shared/statuses/auction-statuses.ts';
import { OPEN_LOT_SQL, OPEN_LOTS } from '../../shared/statuses/lot-statuses.ts';
import { type AuctionRow, readAuctionRow } from './auction-rows.ts';
import { groupField, joinGroups, readGroups } from './grouped-lots.ts';
import { admitDecided } from './invited-bidders.ts';
import { allToOpen, readLotRowsOfAuction } from './lot-rows.ts';

const CHUNK = 500;

export interface PublishingParts {
  readonly knex: Knex;
  readonly journal: Journal;
  readonly engine: Engine;
}

/**
 * Publishes one auction; drafts and unknown ones are left alone. Gives the number of lots that it put into the
 * journal.
 */
export async function publishAuction(parts: PublishingParts, auctionId: number): Promise<number> {
  const row = await readAuctionRow(parts.knex, auctionId);
  if (row === null || !isLive(row.status)) return 0;
  await ensureRecord(parts, row);
  await admitDecided(parts.knex, parts.journal, row, newSalt);
  const lots = (await readLotRowsOfAuction(parts.knex, auctionId, OPEN_LOTS)).filter(
    (lot) => !lot.journal_opened,
  );
  const field = groupField(row.type);
  const grouped = lots.flatMap(({ id: lotId, lot_number: lotNumber, [field]: group }) =>
    group === null ? [] : [{ lotId, lotNumber, group }],
  );
  await joinGroups(parts, auctionId, grouped);
  const toOpen = allToOpen(lots);
  for (let at = 0; at < toOpen.length; at += CHUNK) {
    const chunk = toOpen.slice(at, at + CHUNK);
    await Promise.all(chunk.map((lot) => parts.engine.open(auctionId, lot)));
  }
  return lots.length;
}

/** Makes sure that the journal has the auction's record; one that is there already stays. */
export async function ensureRecord(
  { knex, journal }: Pick<PublishingParts, 'knex' | 'journal'>,
  row: AuctionRow,
): Promise<void> {
  if ((await journal.loadRecord(row.auctionId)) !== null) return;
  await journal.saveRecord({
    ...recordOf(row),
    ...(await readGroups(knex, row)),
    version: 1,
  });
}

/**
 * Publishes whatever should be live and is not yet; the worker does this again and again. One that cannot be
 * published does not keep the others waiting: its fault is thrown after them.
 */
export async function publishPending(parts: PublishingParts): Promise<number> {
  const ids: number[] = await parts
    .knex('auctions')
    .whereRaw(`status IN ${LIVE_AUCTION_SQL}`)
    .whereExists(
      parts
        .knex('lots')
        .whereRaw(
          `lots.auction_id = auctions.id AND NOT lots.journal_opened AND lots.status IN ${OPEN_LOT_SQL}`,
        ),
    )
    .orWhere((query) => query.whereRaw(`status IN ${LIVE_AUCTION_SQL}`).andWhere('record_version', 0))
    .orderBy('id')
    .pluck('id');
  let opened = 0;
  const faults: unknown[] = [];
  for (const id of ids) {
    try {
      opened += await publishAuction(parts, id);
    } catch (fault) {
      faults.push(fault);
    }
  }
  if (faults.length > 0) throw faults[0];
  return opened;
}

/** The engine's part of an auction's row. */
export function recordOf(row: AuctionRow): AuctionRecord {
  const { title: _t, slug: _s, status: _st, categoryId: _c, timezone: _z, depositCents: _d, ...record } = row;
  return record;
}
