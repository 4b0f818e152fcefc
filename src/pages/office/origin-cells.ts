/** Cells that say from where somebody bid, and what staff should look at. */
import type { Origin, SaleOrigins } from '../../bidding/origins/origins-of-bids.ts';
import { browserName } from '../account/browser-name.ts';
import type { Cell } from './office.ts';

export interface Bidder {
  readonly id: number;
  readonly name: string;
}

/** Null where it is nobody with an account. */
export function personCell(bidder: Bidder | undefined): Cell {
  return bidder === undefined ? null : { href: `/office/people/${bidder.id}`, text: bidder.name };
}

/** Address and browser; both empty where they are not known, or no longer. */
export function originCells(origin: Origin | null): Cell[] {
  return origin === null ? [null, null] : [origin.address, browserName(origin.browser)];
}

export function signsCell(origins: SaleOrigins, userId: number | undefined): Cell {
  const signs = userId === undefined ? [] : origins.signsOf(userId);
  return signs.length === 0 ? null : signs.join('; ');
}
