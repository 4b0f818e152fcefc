/** Auctions on a falling clock for tests, and people who buy in them. */
import { FormatSales, HOUR_MS, type Sale } from './format-sales.ts';
import type { Answer } from './service.ts';

/** From 300 down by 50 every hour to 100, where it stays for ten minutes. */
export const CLOCK = {
  start_price: '300.00',
  step: '50.00',
  step_seconds: 3_600,
  floor_price: '100.00',
  floor_seconds: 600,
};

export class FallingSales extends FormatSales {
  protected override readonly auction = { title: 'Flowers', format: 'falling' };

  protected override lotAt(): object {
    return { title: 'Tulips', ...CLOCK };
  }

  /** An open auction that began so long ago, with lots. */
  auctionOf(lots: readonly object[], agoMs: number, settings: object = {}): Promise<Sale> {
    const start = Date.now() - agoMs;
    const times = {
      start_time: new Date(start).toISOString(),
      end_time: new Date(start + 48 * HOUR_MS).toISOString(),
    };
    return this.open(lots, { ...times, ...settings });
  }

  bid(token: string, lot: number | undefined, body: object): Promise<Answer> {
    return this.service.call('POST', `/api/v1/lots/${lot}/bids`, { token, body });
  }
}
