/** Presets at the desk: a sale's answers kept under a name, on the sale's page, and deleted where a new one begins. */
import { Type } from '@sinclair/typebox';
import { type Endpoint, endpoint } from '../../../../adapters/http/endpoint.ts';
import { Id } from '../../../shared/fields.schema.ts';
import { PAGE } from '../../page.ts';
import { submit } from '../forms/desk-form.ts';
import { auctionAt, type Desk } from '../frame/desk.ts';
import { drawAuction } from './auction.pages.ts';

export function presetPages(desk: Desk): Endpoint[] {
  return [save(desk), remove(desk)];
}

function save(desk: Desk): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'POST',
    path: '/seller/auctions/{id}/preset',
    operationId: 'saveSalePresetOnPage',
    summary: 'Keeps what an auction is set up with under a name',
    params: Type.Object({ id: Id }),
    body: { form: Type.Object({ name: Type.String({ maxLength: 200, pattern: '^[^\\u0000]*$' }) }) },
    handle: (request) =>
      desk.at(request, async (visit) => {
        const { id } = request.params;
        const auction = await auctionAt(visit, id);
        const body = { name: request.body.name.trim(), auction_id: id };
        return submit(
          desk,
          () => visit.perform('createSalePreset', { params: { team: visit.team.id }, body }),
          (refused) => drawAuction(desk, visit, auction, { refused }),
          () => `/seller/auctions/${id}?done=preset`,
        );
      }),
  });
}

function remove(desk: Desk): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'POST',
    path: '/seller/presets/{preset}/delete',
    operationId: 'deleteSalePresetOnPage',
    summary: 'Deletes a preset of the team',
    params: Type.Object({ preset: Id }),
    body: { form: Type.Object({}) },
    handle: (request) =>
      desk.at(request, async (visit) => {
        const { preset } = request.params;
        await visit.perform('deleteSalePreset', { params: { team: visit.team.id, preset } });
        return desk.go('/seller/auctions/new');
      }),
  });
}
