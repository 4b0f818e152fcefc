/** Rows of `media`: making one at the end of its owner's order, deleting one, and finding one by any of its files. */
import { randomBytes } from 'node:crypto';
import type { Knex } from 'knex';
import type { Principal } from '../../adapters/http/endpoint.ts';
import { requirePlanRoom } from '../accounts/teams/plan-limits.ts';
import { Media } from '../catalog/media.model.ts';
import { NOBODY, type Relation } from '../shared/policy/relations.ts';
import { notFound } from '../shared/refusal.ts';
import { inTransaction } from '../shared/transactions.ts';
import { seesAuction, seesLot } from '../shared/visibility/visibility.ts';
import {
  auctionFactsOf,
  type LotFactsRow,
  lotFactsOf,
  lotFactsSql,
  relationOf,
} from '../shared/visibility/visibility-sql.ts';
import { requireRoomForMedia } from './media-bounds.ts';
import {
  areMediaFixed,
  type IsFixed,
  type MediaOwner,
  ownerColumn,
  ownerOf,
  requireNotFixed,
  requireOwned,
  teamOf,
} from './media-owner.ts';

export type NewMedia = Pick<
  Media,
  'kind' | 'file_key' | 'thumb_key' | 'medium_key' | 'file_name' | 'mime_type' | 'size' | 'width' | 'height'
>;

/** Nobody guesses 128 bits: anyone who knows an address was shown it. */
export const newKeyStem = (): string => randomBytes(16).toString('hex');

/**
 * The row, behind all others of its owner; of a lot with bids it is kept for an amendment, and not shown before.
 * Throws 404 and 403 as `requireOwned` does.
 */
export async function insertMedia(
  knex: Knex,
  owner: MediaOwner,
  media: NewMedia,
  caller: Principal,
  isFixed: IsFixed,
): Promise<Media> {
  const isKept = await areMediaFixed(owner, isFixed);
  return inTransaction(knex, async (trx) => {
    await requireOwned(trx, owner, caller, 'attach', { lock: true });
    await requireRoomForMedia(trx, owner, media.size, { lock: true });
    await requirePlanRoom(trx, await teamOf(trx, owner), 'media_gb', media.size);
    const column = isKept ? 'kept_lot_id' : ownerColumn(owner);
    const last = await Media.query(trx).where(column, owner.id).max('position as position').first();
    return Media.query(trx)
      .insert({
        ...media,
        [column]: owner.id,
        position: (last?.position ?? -1) + 1,
        uploaded_by: caller.userId,
      })
      .returning('*');
  });
}

type Files = Pick<Media, 'file_key' | 'thumb_key' | 'medium_key' | 'original_key'>;

/** The keys of a row's files, each once. */
export function keysOf({ file_key, thumb_key, medium_key, original_key }: Files): string[] {
  return [...new Set([file_key, thumb_key, medium_key, original_key])].filter((key) => key !== null);
}

/** Takes the row away and gives the keys of its files, which are the caller's to delete. Throws 404 and 403. */
export async function deleteMediaRow(
  knex: Knex,
  mediaId: number,
  caller: Principal,
  isFixed: IsFixed,
): Promise<string[]> {
  const found = await Media.query(knex).findById(mediaId);
  const areFixed = found !== undefined && (await areMediaFixed(ownerOf(found), isFixed));
  return inTransaction(knex, async (trx) => {
    const row = await Media.query(trx).findById(mediaId);
    if (row === undefined) throw notFound('There is no such media.');
    const owner = ownerOf(row);
    await requireOwned(trx, owner, caller, 'delete', { lock: true });
    // One that was never shown is not relied on by anybody.
    if (row.kept_lot_id === null || row.was_shown) requireNotFixed('delete', areFixed);
    const deleted = await Media.query(trx).delete().where('id', mediaId).returning('*').first();
    if (deleted === undefined) throw notFound('There is no such media.');
    return keysOf(deleted);
  });
}

export interface ServedFile {
  readonly kind: Media['kind'];
  readonly mime_type: string;
  readonly file_name: string;
  /** Whether the key is that of the file itself and not of a smaller picture. */
  readonly is_original: boolean;
  /** Not for everybody, so no cache between may keep it. */
  readonly is_private: boolean;
}

type ServedRow = ServedFile & Omit<LotFactsRow, 'status'> & { readonly status: LotFactsRow['status'] | null };

const SERVED = `SELECT f.kind, f.mime_type, f.file_name, f.file_key = :key AS is_original, l.status,
  ${lotFactsSql('CAST(:user AS bigint)')}
  FROM media f LEFT JOIN lots l ON l.id = coalesce(f.lot_id, f.kept_lot_id) JOIN auctions a ON a.id = coalesce(l.auction_id, f.auction_id)
  WHERE f.file_key = :key OR f.thumb_key = :key OR f.medium_key = :key LIMIT 1`;

/** What a file is, by its key; null where it belongs to nothing, or to what this viewer may not see the files of. */
export async function findServed(
  knex: Knex,
  key: string,
  viewer: { readonly userId: number } | null,
): Promise<ServedFile | null> {
  // SQL: run for every file that is served; file, lot and auction in one statement.
  const { rows } = await knex.raw<{ rows: ServedRow[] }>(SERVED, {
    key,
    user: viewer?.userId ?? null,
  });
  const [row] = rows;
  if (row === undefined) return null;
  // A file of an auction has no lot, and so no status of one.
  const sees = (viewer: Relation) =>
    row.status === null
      ? seesAuction(auctionFactsOf(row), viewer)
      : seesLot(lotFactsOf({ ...row, status: row.status }), viewer);
  return sees(relationOf(row)) ? { ...row, is_private: !sees(NOBODY) } : null;
}
