/** `/office/platforms`: simulcast platforms. Adding one and giving one a new secret show it once; revoking ends it. */
import { Type } from '@sinclair/typebox';
import type { Endpoint } from '../../../adapters/http/endpoint.ts';
import {
  addPlatform,
  type ListedPlatform,
  listPlatforms,
  revokePlatform,
  rotatePlatform,
} from '../../bidding/simulcast/platform-registry.ts';
import { dropPlatformWebhook } from '../../webhooks/platform-webhooks.ts';
import type { Cell, OfficeParts } from './office.ts';
import type { Subject } from './office-action.ts';
import { subjectPages } from './subject-pages.ts';

export interface PlatformActionParts extends OfficeParts {
  readonly appSecrets: readonly string[];
}

const PATH = '/office/platforms';

export function platformPages(parts: PlatformActionParts): Endpoint[] {
  return [...subjectPages(parts, registry(parts)), ...subjectPages(parts, platform(parts))];
}

const NoParams = Type.Object({});

function registry({ appSecrets }: PlatformActionParts): Subject<readonly ListedPlatform[], typeof NoParams> {
  return {
    path: PATH,
    operationId: 'officePlatformsPage',
    summary: 'Simulcast platforms',
    params: NoParams,
    find: (knex) => listPlatforms(knex),
    show: async (all) => ({
      section: 'platforms',
      heading: 'Platforms',
      lead: 'Who may send floor bids and sales. The seller of each auction also chooses which of them it accepts.',
      tables: [
        {
          heading: null,
          columns: ['Platform', 'State', 'Since'],
          rows: all.map((one): Cell[] => [
            { href: `${PATH}/${one.slug}`, text: one.slug },
            { pill: stateOf(one) },
            { time: one.created_at },
          ]),
          empty: 'There is no platform.',
        },
      ],
    }),
    actions: [
      {
        operationId: 'addPlatformInOffice',
        name: 'add',
        title: 'Add a platform',
        button: 'Add platform',
        notice: 'The platform is added.',
        needsProof: true,
        fieldNames: ['slug', 'secret'],
        fields: () => [
          {
            name: 'slug',
            label: 'Slug',
            kind: 'line',
            required: true,
            maxLength: 60,
            hint: 'Its name in URLs: lower-case letters, digits and hyphens.',
          },
          {
            name: 'secret',
            label: 'Secret',
            kind: 'password',
            maxLength: 200,
            hint: '8 to 200 characters. If left empty, a random one is generated.',
          },
        ],
        async act(knex, _, { values }) {
          const secretInput = values['secret'] ?? '';
          const saved = await addPlatform(
            knex,
            appSecrets,
            values['slug'] ?? '',
            secretInput === '' ? undefined : secretInput,
          );
          const { slug, secret } = saved;
          return { detail: { slug }, secret: { label: `The secret of ${slug}.`, value: secret } };
        },
      },
    ],
  };
}

const PlatformParams = Type.Object({
  platform: Type.String({ pattern: '^[a-z0-9]+([-_][a-z0-9]+)*$', maxLength: 60 }),
});

function platform({ appSecrets }: PlatformActionParts): Subject<ListedPlatform, typeof PlatformParams> {
  const blockedBy = ({ revoked_at }: ListedPlatform) =>
    revoked_at === null ? null : 'This platform is revoked.';
  return {
    path: `${PATH}/{platform}`,
    operationId: 'officePlatformPage',
    summary: 'One simulcast platform',
    params: PlatformParams,
    find: async (knex, params) => (await listPlatforms(knex, params.platform))[0] ?? null,
    show: async (one) => ({
      section: 'platforms',
      heading: `Platform ${one.slug}`,
      crumbs: [[PATH, 'Platforms']],
      facts: [
        ['State', { pill: stateOf(one) }],
        ['Since', { time: one.created_at }],
        [
          'Previous secret valid until',
          one.previous_valid_until === null ? null : { time: one.previous_valid_until },
        ],
        ['Revoked', one.revoked_at === null ? 'no' : { time: one.revoked_at }],
        ['Addresses', `/webhooks/bid/${one.slug}, /webhooks/sold/${one.slug}`],
      ],
    }),
    actions: [
      {
        operationId: 'rotatePlatformInOffice',
        name: 'rotate',
        title: 'Give a new secret',
        button: 'New secret',
        notice: 'The platform has a new secret. The previous one stays valid for 24 hours.',
        needsProof: true,
        blockedBy,
        async act(knex, { slug }) {
          const { secret } = await rotatePlatform(knex, appSecrets, slug);
          return { detail: { slug }, secret: { label: `The new secret of ${slug}.`, value: secret } };
        },
      },
      {
        operationId: 'revokePlatformInOffice',
        name: 'revoke',
        title: 'Revoke',
        button: 'Revoke',
        danger: true,
        notice: 'The platform is revoked: its events are no longer accepted.',
        blockedBy,
        async act(knex, { slug }) {
          await revokePlatform(knex, slug);
          // It is sent no more events of what is listed there either.
          const webhook = await knex('webhook_subscriptions').where('platform', slug).first('id');
          if (webhook !== undefined) await dropPlatformWebhook(knex, slug);
          return { detail: { slug } };
        },
      },
    ],
  };
}

function stateOf({ revoked_at }: ListedPlatform): string {
  return revoked_at === null ? 'active' : 'revoked';
}
