/**
 * Lets a bid be followed by its id through the logs of all processes: decided in one, projected in another, sold and
 * billed, delivered and mailed in others. Only at the level `debug`, because each bid is a line in each of them;
 * amounts are never in it.
 */
import type { Engine } from '../../../engine/actor/engine.ts';
import { decodeEvents } from '../../../engine/formats/formats.ts';
import type { SealedEntry } from '../../../engine/lot/entry.ts';
import type { Log } from '../../shared/log.ts';
import type { WrittenLog } from '../projection/projector.ts';

/** Records the outcome of each bid that this process decides. */
export function followDecidedBids({ bids }: Pick<Engine, 'bids'>, log: Log): void {
  if (!log.isLevelEnabled('debug')) return;
  bids.listener = (command, result) => {
    if (result.kind === 'repeated') {
      const { sequence } = result;
      const platform = command.type === 'place_bid' ? command.floor?.platform : undefined;
      log.debug({ platform, sequence, replayed: true }, 'event repeated');
    }
    if (result.kind !== 'answer') return;
    const { answer, replayed } = result;
    if (answer.kind === 'bid') {
      const { bidId, lotId, sequence, outcome } = answer;
      log.debug({ bid: bidId, lot: lotId, sequence, outcome, replayed }, 'bid decided');
    } else if (answer.kind === 'refused') {
      log.debug({ bid: command.bidId, code: answer.code, replayed }, 'bid refused');
    }
  };
}

/** What records the bids that a projection has written; undefined where nobody would read it. */
export function projectedBidsLog(log: Log): ((written: WrittenLog) => void) | undefined {
  if (!log.isLevelEnabled('debug')) return undefined;
  return ({ frames, facts }) => {
    for (const frame of frames) if (frame.kind === 'entry') logBidsOf(frame.entry, log);
    for (const { type, lotId, data } of facts) {
      const { bid_id: bid, invoice_number: invoice } = data;
      if (type === 'lot.sold') log.debug({ bid, lot: lotId, invoice }, 'lot sold');
      else if (type === 'invoice.created') log.debug({ bid, lot: lotId, invoice }, 'invoice made');
    }
  };
}

function logBidsOf({ lotId, privateText, sequence }: SealedEntry, log: Log): void {
  for (const event of decodeEvents(privateText))
    if (event.type === 'bid_placed') log.debug({ bid: event.bidId, lot: lotId, sequence }, 'bid projected');
}
