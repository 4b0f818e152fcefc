/** `bid void`, `bid explain`. */
import type { Command } from 'commander';
import { explainBid } from '../../bidding/explanations/explain-bid.ts';
import { voidBid } from '../../bidding/staff/void-bid.ts';
import { loadConfig } from '../config/config.ts';
import { withBackends } from './command-servers.ts';
import { reporting } from './outcome.ts';

export function addBidCommands(program: Command): void {
  const group = program.command('bid').description('single bids');
  const take = group
    .command('void')
    .description(
      'void a bid on an open lot; the remaining bids are decided again as if it had never been placed',
    )
    .requiredOption('--bid <id>', 'its id')
    .requiredOption('--reason <text>', 'why; it is recorded in the journal');
  reporting(take, async ({ bid, reason }: { bid: string; reason: string }) => {
    const { bidId, lotId, sequence } = await withBackends(loadConfig(), (backends) =>
      voidBid(backends, bid, reason),
    );
    return {
      result: { bid_id: bidId, lot_id: lotId, sequence },
      text: `Bid ${bidId} on lot ${lotId} is voided (sequence ${sequence} of its journal).`,
    };
  });
  const why = group
    .command('explain')
    .description(
      'explain how a bid was decided, rule by rule; ceilings that have not been opened stay secret',
    )
    .requiredOption('--bid <id>', 'its id');
  reporting(why, async ({ bid }: { bid: string }) => {
    const result = await withBackends(loadConfig(), (backends) => explainBid(backends, bid, 'operator'));
    const lines = result.steps.map(({ rule, sentence }) => `Rule ${rule}: ${sentence}`);
    return { result, text: [`Bid ${result.bid_id} on lot ${result.lot_id}`, ...lines].join('\n') };
  });
}
