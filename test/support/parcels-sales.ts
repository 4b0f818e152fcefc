/** Auctions of parcels for tests: tracts that start at 100.00. */
import { expect } from 'chai';
import { type Bidder, FormatSales, type Sale } from './format-sales.ts';
import type { Answer } from './service.ts';

export class ParcelsSales extends FormatSales {
  protected override readonly auction = { title: 'The Miller farm', format: 'parcels' };

  protected override lotAt(index: number): object {
    return { title: `Tract ${index + 1}`, starting_bid: '100.00' };
  }

  /** A bid on these lots together, sent to the first of them. */
  bid(
    { token }: Pick<Bidder, 'token'>,
    lots: readonly (number | undefined)[],
    amount: string,
    more: object = {},
    key?: string,
  ): Promise<Answer> {
    const headers: Record<string, string> = key === undefined ? {} : { 'idempotency-key': key };
    const body = { amount, ...(lots.length > 1 ? { lot_ids: lots } : {}), ...more };
    return this.service.call('POST', `/api/v1/lots/${lots[0]}/bids`, { token, body, headers });
  }

  async parcels({ id }: Sale, lotIds?: readonly (number | undefined)[]) {
    const query = lotIds === undefined ? '' : `?lot_ids=${lotIds.join()}`;
    const answer = await this.service.get(`/api/v1/auctions/${id}/parcels${query}`);
    expect(answer.status, answer.text).to.equal(200);
    return answer.body.data;
  }
}
