/** What a tender is set to, under the names that its journal and answers have. */
import type { ShownFields } from '../../lot/shown-fields.ts';
import type { TenderSettings } from './tender-state.ts';

const DAY_SECONDS = 86_400;

/** As the journal's first entry has it. */
export function settingsOf(settings: ShownFields): TenderSettings {
  const count = settings['tender_final_round'] ?? null;
  return {
    mayLower: settings['tender_may_lower'] === true,
    mayWithdraw: settings['tender_may_withdraw'] === true,
    pays: settings['tender_pays'] === 'second' ? 'second' : 'own',
    finalRound: count === null ? null : Number(count),
    finalSeconds: Number(settings['tender_final_seconds'] ?? DAY_SECONDS),
  };
}

/** As answers show it. */
export function shownSettings(settings: TenderSettings): ShownFields {
  const { mayLower, mayWithdraw, pays, finalRound, finalSeconds } = settings;
  return {
    tender_may_lower: mayLower,
    tender_may_withdraw: mayWithdraw,
    tender_pays: pays,
    tender_final_round: finalRound,
    tender_final_seconds: finalRound === null ? null : finalSeconds,
  };
}
