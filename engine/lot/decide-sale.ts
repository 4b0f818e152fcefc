/**
 * The floor's word on a lot: `sold`, `passed` or `unsold`, applied as it stands, with what is odd about it noted as
 * flags. Saying the same thing twice changes nothing; saying something else of a closed lot is refused.
 */
import type { AuctionRecord } from '../auction/record.ts';
import type { RecordSale } from './commands.ts';
import type { Verdict } from './decision.ts';
import type { SaleFlag } from './events.ts';
import { isClosed, type LotState, type Winner } from './state.ts';

/** Decides a `sold` event of a simulcast platform (rule 14). */
export function decideSale(state: LotState, command: RecordSale, record: AuctionRecord): Verdict {
  const facts = factsOf(command);
  if (isClosed(state)) {
    return {
      refuse: facts === (state.saleFacts ?? factsOfClose(state)) ? 'floor_duplicate' : 'lot_already_sold',
    };
  }
  const { platform, sequence } = command.floor;
  if (sequence <= (state.floorSequences[platform] ?? -1)) return { refuse: 'floor_stale' };
  if (state.status === 'withdrawn') return { refuse: 'lot_withdrawn' };
  if (command.currency !== null && command.currency !== record.currency)
    return { refuse: 'currency_mismatch' };
  const flags = command.result === 'sold' ? flagsOf(state, command) : [];
  const sold = command.result === 'sold';
  return {
    flags,
    events: [
      {
        type: 'lot_closed',
        status: command.result,
        reason: 'floor',
        hammerCents: sold ? command.hammerCents : null,
        winner: sold ? winnerOf(state, command) : null,
        flags,
        floor: command.floor,
        saleFacts: facts,
      },
    ],
  };
}

function factsOf(command: RecordSale): string {
  if (command.result !== 'sold') return command.result;
  return `sold:${command.hammerCents}:${command.winner?.key ?? ''}`;
}

function factsOfClose(state: LotState): string {
  if (state.status !== 'sold') return state.status;
  return `sold:${state.hammerCents}:${state.winner?.key ?? ''}`;
}

function winnerOf(state: LotState, command: RecordSale): Winner {
  const { winner } = command;
  if (winner === null) return { key: null, userId: null, alias: null, paddle: null };
  const alias = state.leader?.key === winner.key ? state.leader.alias : null;
  return { key: winner.key, userId: winner.userId, alias, paddle: winner.paddle };
}

function flagsOf(state: LotState, command: RecordSale): SaleFlag[] {
  const hammerCents = command.hammerCents ?? 0;
  const flags: SaleFlag[] = [];
  if (state.leader === null || state.leader.key !== command.winner?.key) flags.push('not_the_leader');
  if (hammerCents < state.currentCents) flags.push('hammer_below_current');
  if (state.reserveCents !== null && hammerCents < state.reserveCents) flags.push('reserve_not_met');
  return flags;
}
