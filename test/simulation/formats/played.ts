/** The formats that runs play beside the first, and who judges the auctions of each. */
import type { AuctionRecord } from '../../../engine/auction/record.ts';
import type { Plan } from '../plan.ts';
import { CHOICE } from './choice-play.ts';
import { FALLING } from './falling-play.ts';
import { PARCELS } from './parcels-play.ts';
import type { Played } from './played-format.ts';
import type { Referee } from './referee.ts';
import { SALEROOM } from './saleroom-play.ts';
import { TENDER } from './tender-play.ts';
import { timedReferee } from './timed-referee.ts';

export const PLAYED: readonly Played[] = [FALLING, TENDER, PARCELS];

/** How an auction is played; undefined: it is timed. */
export function playedOf({ format, type, choiceGroups }: AuctionRecord): Played | undefined {
  if (type === 'simulcast') return choiceGroups === undefined ? SALEROOM : CHOICE;
  return PLAYED.find(({ name }) => name === format);
}

export function refereeOf(plan: Plan, record: AuctionRecord, centsOf: (bidId: string) => number): Referee {
  const own = { lots: plan.lots.filter(({ auctionId }) => auctionId === record.auctionId) };
  return playedOf(record)?.referee(own, record, centsOf) ?? timedReferee(plan, record);
}
