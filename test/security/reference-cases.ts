/** What a test of a body's references tries, and the cases of bids, choices, hammers and links. */
import type { Answer } from '../support/service.ts';

/** Never given out by any sequence here. */
export const NOWHERE = 987_654_321;

export interface ReferenceCase {
  /** `operationId.field` */
  readonly of: string;
  send(value: unknown): Promise<Answer>;
  /** What is not there: 422 under the field, or 404 where the contract says so. */
  readonly missing: { readonly value: unknown; readonly refused: 404 | 409 | string };
}

export type Send = (method: string, path: string, body: unknown) => Promise<Answer>;

/** A case of one POST; `body` puts the value into the rest. */
export type Posted = (
  of: string,
  path: string,
  body: (value: unknown) => object,
  refused: ReferenceCase['missing']['refused'],
  value?: unknown,
) => ReferenceCase;

export function postedBy(send: Send): Posted {
  return (of, path, body, refused, value = NOWHERE) => ({
    of,
    send: (one) => send('POST', path, body(one)),
    missing: { value, refused },
  });
}

const lotsOf = (lot_ids: unknown) => ({ name: 'C', lot_ids });

interface Row {
  readonly id: number;
}

/** What is there: of the caller's team, and a lot that another one sells. */
export interface Things {
  readonly draft: Row;
  readonly auction: Row;
  readonly teamId: number;
  readonly lotOnSale: Row;
}

export function biddingCases(posted: Posted, { draft, auction, teamId, lotOnSale }: Things): ReferenceCase[] {
  const bid = (lot_ids: unknown) => ({ lot_ids, amount: '500.00' });
  const hammer = `/api/v1/seller/auctions/${auction.id}/hammer`;
  const fallen = (lot_id: unknown) => ({ lot_id, result: 'sold', price: '10.00' });
  const many = [NOWHERE];
  const links = '/api/v1/seller/consignor-links';
  return [
    posted('placeBid.lot_ids', `/api/v1/lots/${lotOnSale.id}/bids`, bid, 'lot_ids', many),
    posted(
      'placeBidByLotId.lot_ids',
      '/api/v1/bids',
      (ids) => ({ ...bid(ids), lot_id: lotOnSale.id }),
      'lot_ids',
      many,
    ),
    posted(
      'chooseLots.lot_ids',
      `/api/v1/lots/${lotOnSale.id}/choice`,
      (lot_ids) => ({ lot_ids }),
      409,
      many,
    ),
    posted(
      'orderSellerLots.lot_ids',
      `/api/v1/seller/auctions/${draft.id}/lot-order`,
      (lot_ids) => ({ lot_ids }),
      'lot_ids',
      many,
    ),
    posted('fallHammer.lot_id', hammer, fallen, 404),
    posted('takeHammerBack.lot_id', `${hammer}/take-back`, (lot_id) => ({ lot_id }), 404),
    posted('createConsignorLink.lot_ids', links, lotsOf, 'lot_ids', many),
    posted(
      'createSalePreset.auction_id',
      `/api/v1/teams/${teamId}/sale-presets`,
      (auction_id) => ({ name: 'Ours', auction_id }),
      404,
    ),
    posted(
      'createConsignorLink.consignor_id',
      links,
      (consignor_id) => ({ name: 'C', consignor_id }),
      'consignor_id',
    ),
  ];
}
