/**
 * Deleting what was never published: draft lots and draft auctions. What is published is withdrawn or cancelled
 * instead.
 */

import { Type } from '@sinclair/typebox';
import type { Knex } from 'knex';
import { type Endpoint, endpoint } from '../../../adapters/http/endpoint.ts';
import { TEAM_CODES, TeamHeaders } from '../../accounts/teams/team-context.ts';
import { deletingTeam } from '../../accounts/teams/team-roles.ts';
import { Auction } from '../../bidding/records/auction.model.ts';
import { Lot } from '../../bidding/records/lot.model.ts';
import { Id } from '../../shared/fields.schema.ts';
import { notFound, Refusal } from '../../shared/refusal.ts';

const head = {
  tags: ['Seller'],
  access: { kind: 'ability', ability: 'seller' },
  headers: TeamHeaders,
  params: Type.Object({ id: Id }),
  responses: { 204: { description: 'It is gone.' } },
} as const;

export function sellerDeletionEndpoints({ knex }: { readonly knex: Knex }): Endpoint[] {
  return [
    endpoint({
      ...head,
      method: 'DELETE',
      path: '/api/v1/seller/lots/{id}',
      operationId: 'deleteSellerLot',
      summary: 'Delete a draft lot',
      description:
        'Its media are deleted too; an inventory item that it was created from becomes available again.',
      codes: [...TEAM_CODES, 'forbidden', 'lot_locked'],
      async handle(request) {
        await deleteDraftLot(knex, await deletingTeam(knex, request), request.params.id);
        return { status: 204 };
      },
    }),
    endpoint({
      ...head,
      method: 'DELETE',
      path: '/api/v1/seller/auctions/{id}',
      operationId: 'deleteSellerAuction',
      summary: 'Delete a draft auction with its lots',
      codes: [...TEAM_CODES, 'forbidden', 'auction_locked'],
      async handle(request) {
        await deleteDraftAuction(knex, await deletingTeam(knex, request), request.params.id);
        return { status: 204 };
      },
    }),
  ];
}

/** Throws 404, and 409 `lot_locked` for a lot that is no draft. */
async function deleteDraftLot(knex: Knex, teamId: number, lotId: number): Promise<void> {
  const deleted = await Lot.query(knex)
    .where({ id: lotId, team_id: teamId, status: 'draft', journal_opened: false })
    .delete();
  if (deleted === 1) return;
  const lot = await Lot.query(knex).findOne({ id: lotId, team_id: teamId }).select('status');
  if (lot === undefined) throw notFound('There is no such lot.');
  throw new Refusal('lot_locked', { message: `The lot is ${lot.status}: only drafts can be deleted.` });
}

/** Throws 404, and 409 `auction_locked` for an auction that is no draft. */
function deleteDraftAuction(knex: Knex, teamId: number, auctionId: number): Promise<void> {
  return knex.transaction(async (trx) => {
    const auction = await Auction.query(trx)
      .findOne({ id: auctionId, team_id: teamId })
      .select('status')
      .forUpdate();
    if (auction === undefined) throw notFound('There is no such auction.');
    if (auction.status !== 'draft') {
      const message = `The auction is ${auction.status}: only drafts can be deleted.`;
      throw new Refusal('auction_locked', { message, data: { fields: [] } });
    }
    await Lot.query(trx).where({ auction_id: auctionId, journal_opened: false }).delete();
    await Auction.query(trx).deleteById(auctionId);
  });
}
