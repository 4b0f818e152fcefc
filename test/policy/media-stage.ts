/** Media files of lots. */
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStorage } from '../../src/app/process/open-storage.ts';
import { MEDIA_POLICY, type MediaAction, type MediaState } from '../../src/shared/policy/media-policy.ts';
import type { Service } from '../support/service.ts';
import type { Cast } from './cast.ts';
import type { Stage, Thing } from './cells.ts';
import { bringUp, someAuctions } from './market-states.ts';
import { personOf, rowsOf } from './own-teams.ts';
import { of, running } from './sale-stages.ts';

let count = 0;

const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

export async function mediaStage(service: Service, cast: Cast): Promise<Stage<MediaState, MediaAction>> {
  const storage = await openStorage(service.config.mediaStorage);
  const file = join(await mkdtemp(join(tmpdir(), 'rostrum-cells-')), 'one.png');
  await writeFile(file, PIXEL);
  const { knex } = service.database;
  const live: { id: number; lot: number; state: MediaState }[] = [];
  return {
    policy: MEDIA_POLICY,
    trials: {
      see: {
        act: (thing) => ({
          ...{ method: 'GET', path: `/media/${of(thing, 'key')}` },
          // Nothing was stored: it is enough that it would be sent.
          headers: { 'if-none-match': `"${of(thing, 'key')}"` },
        }),
        open: true,
      },
      order: {
        act: ({ id }) => ({ method: 'POST', path: '/api/media/reorder', body: { media_ids: [id] } }),
        ...{ forTeam: true, changes: () => false },
      },
      read_edit: { act: ({ id }) => ({ method: 'GET', path: `/api/v1/media/${id}/edit` }), forTeam: true },
      edit: {
        act: ({ id }) => ({
          ...{ method: 'PUT', path: `/api/v1/media/${id}/edit`, body: { turn: 90, crop: null } },
        }),
        forTeam: true,
      },
      attach: {
        act: (thing) => ({
          ...{ method: 'POST', path: '/api/v1/media' },
          form: { model_type: 'lot', model_id: of(thing, 'lot') },
          file: new Blob([PIXEL]),
        }),
        forTeam: true,
      },
      delete: { act: ({ id }) => ({ method: 'DELETE', path: `/api/media/${id}` }), forTeam: true },
    },
    async make(state, house, wanted) {
      const draft = state === 'draft';
      const sales = await someAuctions(service, wanted, {
        ...running(cast.teams[house], draft ? { status: 'draft', lotStatus: 'draft' } : {}),
        lot: { consignor_id: personOf(cast, 'consignor').id },
      });
      if (!draft) live.push(...sales.map((sale) => ({ ...sale, state })));
      const things: Thing[] = [];
      for (const { lot } of sales) {
        const key = `cells-${++count}.png`;
        await storage.put(key, file, 'image/png');
        const [row] = await knex('media')
          .insert({
            ...{ lot_id: lot, kind: 'image', file_key: key, file_name: 'one.png' },
            ...{ mime_type: 'image/png', size: 1, width: 1, height: 1 },
          })
          .returning('id');
        things.push({ id: row.id, more: { key, lot } });
      }
      return things;
    },
    ready: () =>
      bringUp(service, live, {
        contested: live.filter(({ state }) => state === 'contested').map(({ lot }) => lot),
        paused: [],
      }),
    digest: ({ more }) =>
      rowsOf(service, ['media', { lot_id: more?.['lot'] }], ['media', { kept_lot_id: more?.['lot'] }]),
  };
}
