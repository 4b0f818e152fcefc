/**
 * Gives the demo's lots their pictures and papers: drawn here from the seed of each lot, kept like uploads with their
 * sizes made. Lots that have a picture are left alone, so it may be repeated; what is drawn is ours and needs no
 * licence of others.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Knex } from 'knex';
import { renderDrawing } from '../../../adapters/images/drawing.ts';
import type { Storage } from '../../../adapters/storage/storage.ts';
import { newKeyStem } from '../../media/media-rows.ts';
import { Dice } from './dice.ts';
import { HEIGHT, landscape, WIDTH } from './landscapes.ts';
import { conditionReport, type Paper, parcelSummary } from './papers.ts';
import { CONSIGNOR_NAME, LAND_TEAM, SELLER_TEAM } from './people.ts';
import { stillLife } from './still-lifes.ts';

const THUMBNAIL_WIDTH = 400;
const SEED = 7_001;
const SELLERS = [SELLER_TEAM, LAND_TEAM, CONSIGNOR_NAME];

interface BareLot {
  readonly id: number;
  readonly lot_number: number;
  readonly title: string;
  readonly terrain: string | null;
  readonly condition: string | null;
  readonly acres: string | null;
  readonly apn: string | null;
  readonly zoning: string | null;
  readonly county: string | null;
  readonly state: string | null;
}

/**
 * Draws for all lots of the demo's sellers until `signal` says stop; drafts lack something. Returns how many pictures
 * were made.
 */
export async function hangDemoPictures(knex: Knex, storage: Storage, signal?: AbortSignal): Promise<number> {
  const lots: BareLot[] = await knex('lots as l')
    .join('auctions as a', 'a.id', 'l.auction_id')
    .join('teams as t', 't.id', 'a.team_id')
    .whereRaw('t.name = any(?)', [SELLERS])
    .whereNot('a.status', 'draft')
    .whereRaw("not exists (select from media m where m.lot_id = l.id and m.kind = 'image')")
    .orderBy('l.id')
    .select(
      'l.id',
      'l.lot_number',
      'l.title',
      'l.condition',
      'l.acres',
      'l.apn',
      'l.zoning',
      'l.county',
      'l.state',
      // SQL: a field of a JSON column.
      knex.raw("l.custom_fields->>'terrain' as terrain"),
    );
  const folder = await mkdtemp(join(tmpdir(), 'rostrum-pictures-'));
  try {
    let made = 0;
    for (const lot of lots) {
      if (signal?.aborted) break;
      made += await hang(knex, storage, folder, lot);
    }
    return made;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function hang(knex: Knex, storage: Storage, folder: string, lot: BareLot): Promise<number> {
  const terrain = lot.terrain ?? (lot.acres === null ? null : terrainOf(lot.title));
  const views = terrain === null ? (lot.lot_number % 4 === 0 ? 2 : 1) : 3;
  const keep = async (key: string, bytes: Buffer, mimeType: string) => {
    const path = join(folder, key);
    await writeFile(path, bytes);
    await storage.put(key, path, mimeType);
  };
  const rows: object[] = [];
  for (let view = 0; view < views; view += 1) {
    const dice = new Dice(SEED + lot.lot_number * 131 + view * 17 + lot.title.length * 7_919);
    const svg = terrain === null ? stillLife(lot.title, view, dice) : landscape(terrain, view, dice);
    const stem = newKeyStem();
    const [main, thumb] = await Promise.all([renderDrawing(svg, WIDTH), renderDrawing(svg, THUMBNAIL_WIDTH)]);
    await keep(`${stem}.webp`, main, 'image/webp');
    await keep(`${stem}-thumb.webp`, thumb, 'image/webp');
    rows.push({
      lot_id: lot.id,
      position: view,
      kind: 'image',
      file_key: `${stem}.webp`,
      thumb_key: `${stem}-thumb.webp`,
      medium_key: `${stem}.webp`,
      file_name: `lot-${lot.lot_number}-${view + 1}.webp`,
      mime_type: 'image/webp',
      size: main.length,
      width: WIDTH,
      height: HEIGHT,
    });
  }
  const paper = paperOf(lot);
  if (paper !== null) {
    const key = `${newKeyStem()}.pdf`;
    await keep(key, paper.bytes, 'application/pdf');
    rows.push({
      lot_id: lot.id,
      position: views,
      kind: 'document',
      file_key: key,
      file_name: paper.fileName,
      mime_type: 'application/pdf',
      size: paper.bytes.length,
    });
  }
  await knex('media').insert(rows);
  return rows.length;
}

/** Of land that says only what it is called. */
function terrainOf(title: string): string {
  if (/timber/i.test(title)) return 'wooded';
  return /pasture|yard|home|creek/i.test(title) ? 'rolling' : 'flat';
}

/** Land has its parcel on paper, every other one of the rest how it was found. */
function paperOf({ title, lot_number: lotNumber, ...lot }: BareLot): Paper | null {
  if (lot.terrain === null) {
    return lotNumber % 2 === 0 ? conditionReport(title, lotNumber, lot.condition ?? 'as seen') : null;
  }
  const rows = [
    ['County', lot.county],
    ['State', lot.state],
    ['Acres', lot.acres === null ? null : String(Number(lot.acres))],
    ['Parcel number', lot.apn],
    ['Zoning', lot.zoning],
    ['Terrain', lot.terrain],
  ] as const;
  return parcelSummary({ title, lotNumber, rows }, new Dice(SEED + lotNumber));
}
