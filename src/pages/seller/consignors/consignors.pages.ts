/** `/seller/consignors`: links by which consignors see their lots and statements; made here, shown once, revoked. */
import { Type } from '@sinclair/typebox';
import { type Endpoint, endpoint, type Reply } from '../../../../adapters/http/endpoint.ts';
import { objectIn } from '../../../../engine/objects.ts';
import { Id } from '../../../shared/fields.schema.ts';
import { PAGE } from '../../page.ts';
import { attempt, type Refusal, TextForm, textsIn } from '../forms/desk-form.ts';
import type { FormTexts } from '../forms/form-values.ts';
import type { Desk, Visit } from '../frame/desk.ts';

const PATH = '/seller/consignors';

export function consignorDeskPages(desk: Desk): Endpoint[] {
  return [page(desk), create(desk), revoke(desk)];
}

function page(desk: Desk): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'GET',
    path: PATH,
    operationId: 'sellerConsignorsPage',
    summary: 'The team’s links for consignors',
    handle: (request) => desk.at(request, (visit) => draw(desk, visit, {})),
  });
}

interface Drawn {
  readonly texts?: FormTexts;
  readonly refused?: Refusal;
  readonly url?: string;
}

async function draw(desk: Desk, visit: Visit, { texts = {}, refused, url }: Drawn): Promise<Reply> {
  const [{ data }, auctions] = await Promise.all([
    visit.perform('listConsignorLinks'),
    desk
      .knex('auctions')
      .where('team_id', visit.team.id)
      .orderBy('id', 'desc')
      .limit(100)
      .select<{ id: number; title: string }[]>('id', 'title'),
  ]);
  const { links, consignors } = objectIn(data);
  const wrong = refused === undefined ? null : (Object.values(refused.errors).flat()[0] ?? '');
  return desk.html(visit, {
    title: 'Consignors',
    template: 'seller/consignors/consignors',
    status: refused?.status ?? 200,
    data: {
      ...{ links, consignors, auctions, texts, url: url ?? null },
      notice: wrong === null ? null : { kind: 'bad', text: wrong },
    },
  });
}

function create(desk: Desk): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'POST',
    path: PATH,
    operationId: 'createConsignorLinkOnPage',
    summary: 'Makes a link for a consignor, and shows it once',
    body: { form: TextForm },
    handle: (request) =>
      desk.at(request, async (visit) => {
        const texts = textsIn(request.body);
        const { name = '', consignor = '', auction = '', numbers = '', commission = '' } = texts;
        const lotIds = await lotsOf(desk, visit, Number(auction) || 0, numbers);
        if ('wrong' in lotIds) {
          const refused = { status: 422, errors: { numbers: [lotIds.wrong] } };
          return draw(desk, visit, { texts, refused });
        }
        const body = {
          name: name.trim(),
          consignor_id: consignor === '' ? null : Number(consignor),
          lot_ids: lotIds.ids,
          commission_percentage: commission.trim() === '' ? null : commission.trim().replace(',', '.'),
        };
        const tried = await attempt(desk, () => visit.perform('createConsignorLink', { body }));
        if ('refused' in tried) return draw(desk, visit, { texts, refused: tried.refused });
        return draw(desk, visit, { url: String(objectIn(tried.done.data)['url']) });
      }),
  });
}

const MAX_NUMBERS = 500;

/** The lots with these numbers, such as `1-5, 8`, in an auction of the team. */
async function lotsOf(
  desk: Desk,
  visit: Visit,
  auctionId: number,
  text: string,
): Promise<{ readonly ids: number[] } | { readonly wrong: string }> {
  const numbers = new Set<number>();
  for (const part of text.split(/[\s,;]+/).filter((one) => one !== '')) {
    const [, from = '', to = from] = /^([1-9][0-9]{0,6})(?:[-–]([1-9][0-9]{0,6}))?$/.exec(part) ?? [];
    if (from === '') return { wrong: 'Write lot numbers such as 1–5, 8.' };
    for (let n = Number(from); n <= Number(to) && numbers.size <= MAX_NUMBERS; n += 1) numbers.add(n);
  }
  if (numbers.size === 0) return { ids: [] };
  if (numbers.size > MAX_NUMBERS) return { wrong: `A link has at most ${MAX_NUMBERS} lots named.` };
  const lots = await desk
    .knex('lots')
    .where({ team_id: visit.team.id, auction_id: auctionId })
    .whereIn('lot_number', [...numbers])
    .select<{ id: number; lot_number: number }[]>('id', 'lot_number');
  const missing = [...numbers].filter((n) => !lots.some(({ lot_number: number }) => number === n));
  if (missing.length > 0) return { wrong: `The auction has no lot ${missing[0]}.` };
  return { ids: lots.map(({ id }) => id) };
}

function revoke(desk: Desk): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'POST',
    path: `${PATH}/{link}/revoke`,
    operationId: 'revokeConsignorLinkOnPage',
    summary: 'Revokes a consignor’s link',
    params: Type.Object({ link: Id }),
    body: { form: Type.Object({}) },
    handle: (request) =>
      desk.at(request, async (visit) => {
        await visit.perform('revokeConsignorLink', { params: { link: request.params.link } });
        return desk.go(PATH);
      }),
  });
}
