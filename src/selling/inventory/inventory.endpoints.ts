/** A team's inventory: list, take in, how old it is, and putting it into an auction as lots. */

import { Type } from '@sinclair/typebox';
import type { Knex } from 'knex';
import { type Endpoint, endpoint } from '../../../adapters/http/endpoint.ts';
import { listOf, success } from '../../../adapters/http/envelope.ts';
import { exactJson, exactly } from '../../../adapters/http/exact-json.ts';
import { weakTag } from '../../../adapters/http/serialize.ts';
import { actingTeam, TEAM_CODES, TeamHeaders } from '../../accounts/teams/team-context.ts';
import { deletingTeam } from '../../accounts/teams/team-roles.ts';
import { Id, oneOf } from '../../shared/fields.schema.ts';
import { bodyOf, listBody, pagingQuery } from '../../shared/paging/page.schema.ts';
import { readPage } from '../../shared/paging/read-page.ts';
import { ITEM_STATUSES } from '../../shared/statuses/selling-statuses.ts';
import { convertToLots } from './convert.ts';
import {
  AgingSummary,
  ConvertBody,
  Converted,
  InventoryItem,
  ItemChangeBody,
  NewItemBody,
} from './inventory.schema.ts';
import { type AgedItem, agingSummary, ITEM_STATUS_SQL, itemsOf, presentItem } from './inventory.ts';
import { changeItem, createItem, deleteItem, readItem } from './inventory-items.ts';

const head = {
  tags: ['Inventory'],
  access: { kind: 'ability', ability: 'seller' },
  headers: TeamHeaders,
  codes: TEAM_CODES,
} as const;

export function inventoryEndpoints({ knex }: { readonly knex: Knex }): Endpoint[] {
  return [list(knex), create(knex), aging(knex), convert(knex), read(knex), change(knex), remove(knex)];
}

const one = {
  ...head,
  path: '/api/v1/seller/inventory/{id}',
  params: Type.Object({ id: Id }),
} as const;

function read(knex: Knex): Endpoint {
  return endpoint({
    ...one,
    method: 'GET',
    operationId: 'getInventoryItem',
    summary: 'One of the team’s items',
    responses: { 200: { description: 'The item.', schema: bodyOf(InventoryItem) } },
    async handle(request) {
      const row = await readItem(knex, await actingTeam(knex, request), request.params.id);
      return success(presentItem(row));
    },
  });
}

function change(knex: Knex): Endpoint {
  return endpoint({
    ...one,
    method: 'PATCH',
    operationId: 'changeInventoryItem',
    summary: 'Change an item',
    description:
      '`status` may be `available`, `reserved` or `returned` while the item is not in an auction; `lotted` ' +
      'and `sold` follow its lot.',
    codes: [...TEAM_CODES, 'invalid_transition'],
    body: ItemChangeBody,
    responses: { 200: { description: 'The item after the change.', schema: bodyOf(InventoryItem) } },
    async handle(request) {
      const row = await changeItem(knex, await actingTeam(knex, request), request.params.id, request.body);
      return success(presentItem(row), { message: 'Item updated.' });
    },
  });
}

function remove(knex: Knex): Endpoint {
  return endpoint({
    ...one,
    method: 'DELETE',
    operationId: 'deleteInventoryItem',
    summary: 'Delete an item that is in no auction',
    codes: [...TEAM_CODES, 'forbidden', 'invalid_transition'],
    responses: { 204: { description: 'It is gone.' } },
    async handle(request) {
      await deleteItem(knex, await deletingTeam(knex, request), request.params.id);
      return { status: 204 };
    },
  });
}

function list(knex: Knex): Endpoint {
  return endpoint({
    ...head,
    method: 'GET',
    path: '/api/v1/inventory',
    operationId: 'listInventory',
    summary: 'The team’s items, newest first',
    query: Type.Object({
      ...pagingQuery,
      status: Type.Optional(oneOf(ITEM_STATUSES)),
      sku: Type.Optional(Type.String({ minLength: 1, maxLength: 100, description: 'This one exactly.' })),
    }),
    responses: { 200: { description: 'A page of items.', schema: listBody(InventoryItem) } },
    async handle(request) {
      const { query } = request;
      const rows = itemsOf(knex, await actingTeam(knex, request));
      if (query.status !== undefined) rows.whereRaw(`${ITEM_STATUS_SQL} = ?`, [query.status]);
      if (query.sku !== undefined) rows.where('i.sku', query.sku);
      const found = await readPage<AgedItem>(rows, [{ column: 'i.id', order: 'desc' }], query);
      return listOf(found.rows.map(presentItem), found.paging);
    },
  });
}

function create(knex: Knex): Endpoint {
  return endpoint({
    ...head,
    method: 'POST',
    path: '/api/v1/inventory',
    operationId: 'createInventoryItem',
    summary: 'Create an inventory item',
    description: 'A SKU is unique in the team. Custom fields require a category that describes them.',
    body: NewItemBody,
    responses: { 201: { description: 'The item.', schema: bodyOf(InventoryItem) } },
    async handle(request) {
      const row = await createItem(knex, await actingTeam(knex, request), request.body);
      return success(presentItem(row), { status: 201, message: 'Item created.' });
    },
  });
}

function aging(knex: Knex): Endpoint {
  return endpoint({
    ...head,
    method: 'GET',
    path: '/api/v1/inventory/aging-summary',
    operationId: 'getInventoryAging',
    summary: 'Summarize how long the team’s items have been in the warehouse',
    responses: { 200: { description: 'All five buckets.', schema: bodyOf(AgingSummary) } },
    async handle(request) {
      const summary = await agingSummary(knex, await actingTeam(knex, request));
      // The moment of the answer moves on though nothing else does.
      const { as_of: _, ...tagged } = summary;
      return exactly(success(summary, { headers: { ETag: weakTag(exactJson(tagged)) } }));
    },
  });
}

function convert(knex: Knex): Endpoint {
  return endpoint({
    ...head,
    method: 'POST',
    path: '/api/v1/inventory/convert-to-lots',
    operationId: 'convertInventoryToLots',
    summary: 'Convert up to 200 items into draft lots of an auction',
    description:
      'In one transaction. Lots are numbered upwards from the auction’s highest number, in the order ' +
      'given. Items that cannot be converted are skipped, with the reason.',
    codes: [...TEAM_CODES, 'plan_limit', 'invalid_transition'],
    notFound: true,
    body: ConvertBody,
    responses: { 201: { description: 'The result for each item.', schema: bodyOf(Converted) } },
    async handle(request) {
      const converted = await convertToLots(knex, await actingTeam(knex, request), request.body);
      return success(converted, { status: 201 });
    },
  });
}
