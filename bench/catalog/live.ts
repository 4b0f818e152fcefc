/**
 * Puts the lots that the measured pages show into the journal, so that the overlay of live fields is measured as well.
 */

import { type Addresses, openBackends } from '../../src/app/process/backends.ts';
import { catalogEndpoints } from '../../src/app/web/catalog.endpoints.ts';
import { readAuctionRow } from '../../src/bidding/records/auction-rows.ts';
import { ensureRecord } from '../../src/bidding/records/publishing.ts';
import { openLog } from '../../src/shared/log.ts';
import { newSalt } from '../../src/shared/node-crypto.ts';
import { serveAlone } from '../support/served-endpoints.ts';
import { NO_CACHE } from './routes.ts';

interface Shown {
  readonly id: number;
  readonly auctionId: number;
}

/** Requests each path once and opens every lot that it returns. */
export async function makeLive(addresses: Addresses, paths: readonly string[]): Promise<void> {
  const log = openLog('warn', 'bench');
  const backends = await openBackends(addresses, log);
  const { close, url } = await serveAlone(catalogEndpoints(backends, NO_CACHE), log);
  const ids = new Set<number>();
  for (const path of paths) {
    for (const id of idsIn(await (await fetch(url + path)).json(), path)) ids.add(id);
  }
  const lots: Shown[] = await backends
    .knex('lots')
    .whereIn('id', [...ids])
    .select('id', 'auction_id as auctionId');
  for (const auctionId of new Set(lots.map((lot) => lot.auctionId))) {
    await ensureRecord(backends, (await readAuctionRow(backends.knex, auctionId))!);
  }
  await Promise.all(lots.map((lot) => open(backends, lot)));
  await close();
  await backends.close();
}

type JsonObject = Record<string, unknown>;

function idsIn(answer: unknown, path: string): number[] {
  if (path.includes('/categories') || path.includes('/auctions')) return [];
  const { features, data } = answer as {
    features?: JsonObject[];
    data?: JsonObject & { data?: JsonObject[] };
  };
  const rows = features ?? data?.data ?? [data ?? {}];
  return rows.map((row) => Number(row['id']));
}

async function open(backends: Awaited<ReturnType<typeof openBackends>>, lot: Shown): Promise<void> {
  if ((await backends.journal.load(lot.auctionId, lot.id)) !== null) return;
  const terms = { startingBidCents: 10_000, reserveCents: null, buyNowCents: null, consignorUserId: null };
  await backends.engine.open(lot.auctionId, { lotId: lot.id, lotNumber: 1, salt: newSalt(), ...terms });
}
