/** Tenders for tests: fields from 100.00. */
import { expect } from 'chai';
import { type Bidder, FormatSales, type Sale } from './format-sales.ts';
import type { Answer } from './service.ts';

export const SEAL_KEY = 'ab'.repeat(32);

export class TenderSales extends FormatSales {
  protected override readonly auction = { title: 'Fields by tender', format: 'tender' };

  protected override lotAt(): object {
    return { title: 'A field', starting_bid: '100.00' };
  }

  /** Somebody who is registered in the tender. */
  async registered(tender: Sale): Promise<Bidder> {
    const bidder = await this.bidder();
    await this.register(bidder, tender);
    return bidder;
  }

  async register({ token }: Bidder, { id }: Sale): Promise<void> {
    const answer = await this.service.call('POST', `/api/v1/auctions/${id}/registration`, {
      token,
      body: {},
    });
    expect(answer.status, answer.text).to.be.within(200, 201);
  }

  bid(
    { token }: Pick<Bidder, 'token'>,
    lot: number | undefined,
    amount: string,
    key?: string,
  ): Promise<Answer> {
    const headers: Record<string, string> = key === undefined ? {} : { 'idempotency-key': key };
    return this.service.call('POST', `/api/v1/lots/${lot}/bids`, { token, body: { amount }, headers });
  }

  withdraw({ token }: Pick<Bidder, 'token'>, bidId: string): Promise<Answer> {
    return this.service.call('DELETE', `/api/v1/bids/${bidId}`, { token });
  }
}
