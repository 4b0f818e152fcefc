/** `/seller/inventory`: what is in the warehouse, how long it has been there, and its way into an auction. */
import { type Static, Type } from '@sinclair/typebox';
import { type Endpoint, endpoint, type Reply } from '../../../../adapters/http/endpoint.ts';
import { objectIn } from '../../../../engine/objects.ts';
import { ITEM_STATUSES } from '../../../shared/statuses/selling-statuses.ts';
import { NO_AMOUNT, plainAmount } from '../../../shared/typed-amount.ts';
import { PAGE } from '../../page.ts';
import { categoryChoices } from '../auctions/auction-form.ts';
import { attempt, TextForm, textsIn, tickedIn } from '../forms/desk-form.ts';
import type { FieldErrors } from '../forms/form-fields.ts';
import type { FormTexts } from '../forms/form-values.ts';
import type { Desk, Notice, Visit } from '../frame/desk.ts';
import { type ResourceKind, resourcePages } from '../frame/resource-pages.ts';
import { statusFilters, statusQuery } from '../frame/tables.ts';
import { auctionChoices, customSchema, withCustomFields } from '../lots/lot-form.ts';

const PATH = '/seller/inventory';
const Query = Type.Object({
  ...statusQuery(ITEM_STATUSES).properties,
  sku: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
});

const ITEM: ResourceKind = {
  path: PATH,
  noun: 'item',
  name: 'SellerItem',
  create: 'createInventoryItem',
  change: 'changeInventoryItem',
  template: 'seller/inventory/item',
  defaults: { quantity: '1', status: 'available' },
  async read(_desk, visit, id) {
    return objectIn((await visit.perform('getInventoryItem', { params: { id } })).data);
  },
  async form({ knex }, _visit, texts, schema) {
    const categoryId = /^[1-9][0-9]{0,14}$/.test(texts['category_id'] ?? '')
      ? Number(texts['category_id'])
      : null;
    return {
      schema: withCustomFields(schema, await customSchema(knex, categoryId)),
      options: {
        order: ['sku', 'title', 'category_id', 'quantity', 'status', 'condition', 'description', 'location'],
        labels: {
          sku: 'SKU',
          category_id: 'Category',
          cost_cents: 'Cost',
          estimated_value_cents: 'Estimated value',
          custom_fields: 'Fields of the category',
        },
        currency: 'USD',
        hints: { received_at: 'Leave it empty for today.' },
        choices: { category_id: await categoryChoices(knex, 'No category') },
      },
    };
  },
};

export function inventoryPages(desk: Desk): Endpoint[] {
  return [list(desk), convert(desk), ...resourcePages(desk, ITEM)];
}

function list(desk: Desk): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'GET',
    path: PATH,
    operationId: 'sellerInventoryPage',
    summary: 'The team’s inventory and its ageing',
    query: Query,
    handle: (request) => desk.at(request, (visit) => draw(desk, visit, request.query, {})),
  });
}

/** What became of a conversion. */
interface Conversion {
  readonly notice?: Notice;
  /** What was typed, where it is to be typed again. */
  readonly texts?: FormTexts;
  /** What is wrong with a field, by its name. */
  readonly beside?: Readonly<Record<string, string>>;
}

async function draw(
  desk: Desk,
  visit: Visit,
  query: Static<typeof Query>,
  { notice, texts = {}, beside = {} }: Conversion,
): Promise<Reply> {
  const [items, aging, auctions] = await Promise.all([
    visit.perform('listInventory', { query: { ...query, per_page: 50 } }),
    visit.perform('getInventoryAging'),
    auctionChoices(desk.knex, visit.team.id),
  ]);
  return desk.html(visit, {
    title: 'Inventory',
    template: 'seller/inventory/inventory',
    status: notice === undefined || notice.kind === 'good' ? 200 : 422,
    data: {
      ...{ query, auctions, texts, beside, items: items.data, aging: aging.data },
      notice: notice ?? null,
      ...statusFilters(ITEM_STATUSES, query, items.meta),
      modules: ['seller-desk.js'],
    },
  });
}

function convert(desk: Desk): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'POST',
    path: `${PATH}/lots`,
    operationId: 'convertInventoryToLotsOnPage',
    summary: 'Converts items to lots',
    body: { form: TextForm },
    handle: (request) =>
      desk.at(request, async (visit) => {
        const texts = textsIn(request.body);
        const items = tickedIn(texts, 'item').map((id) => ({
          id,
          starting_bid: plainAmount(texts[`bid-${id}`] ?? ''),
        }));
        if (items.length === 0)
          return draw(desk, visit, { page: 1 }, { notice: { kind: 'warn', text: 'Nothing was selected.' } });
        const body = { auction_id: Number(texts['auction_id'] ?? 0), items };
        const tried = await attempt(desk, () => visit.perform('convertInventoryToLots', { body }));
        if ('refused' in tried) {
          const { beside, others } = sortErrors(tried.refused.errors, items);
          const text = others.length > 0 ? others.join(' ') : 'Nothing was created: see the marked fields.';
          return draw(desk, visit, { page: 1 }, { notice: { kind: 'bad', text }, texts, beside });
        }
        const notice = conversionNotice(objectIn(tried.done.data));
        return draw(desk, visit, { page: 1 }, { notice });
      }),
  });
}

/** Sentences about the starting bid of an item are shown next to its field, whatever else is wrong above the table. */
function sortErrors(errors: FieldErrors, items: readonly { readonly id: number }[]) {
  const beside: Record<string, string> = {};
  const others: string[] = [];
  for (const [field, sentences] of Object.entries(errors)) {
    const index = /^items[.[](\d+)\]?\.starting_bid$/.exec(field)?.[1];
    const item = index === undefined ? undefined : items[Number(index)];
    if (item === undefined) others.push(...sentences);
    else beside[`bid-${item.id}`] = `The starting bid ${NO_AMOUNT}.`;
  }
  return { beside, others };
}

function conversionNotice({ created, skipped }: Readonly<Record<string, unknown>>): Notice {
  const made = Array.isArray(created) ? created.length : 0;
  const left: unknown[] = Array.isArray(skipped) ? skipped : [];
  const why = left.map((one) => String(objectIn(one)['message']));
  return { kind: 'good', text: [`${made} of ${made + left.length} items are now lots.`, ...why].join(' ') };
}
