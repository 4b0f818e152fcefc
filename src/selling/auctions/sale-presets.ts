/**
 * Presets of a team's sales: what an auction was set up with, but for its own name, texts and times, kept under a name
 * to begin the next one with. They are copies: a change of the auction changes no preset.
 */
import type { Knex } from 'knex';
import { raw } from 'objection';
import { invalid } from '../../shared/refusal.ts';
import { holdName, inTransaction } from '../../shared/transactions.ts';
import { SalePreset } from './sale-preset.model.ts';
import { NewAuctionBody } from './seller-auction.schema.ts';

/** Of one team. */
const MAX_PRESETS = 50;

/** Of an auction alone. */
const OWN = [
  ...['title', 'description', 'translations', 'start_time', 'end_time', 'status'],
  ...['collect_by', 'viewings', 'collections', 'stream_url', 'combinations_from'],
];
const KEPT = Object.keys(NewAuctionBody.properties).filter((name) => !OWN.includes(name));

/** The fields of an auction, as its seller sees it, that another one can be made with. */
export function settingsOf(auction: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    KEPT.flatMap((name) => (auction[name] == null ? [] : [[name, auction[name]] as const])),
  );
}

/** Keeps settings under a name. Throws 422 under `name` where the team has it already, or as many as it may. */
export function createSalePreset(
  knex: Knex,
  teamId: number,
  name: string,
  settings: Record<string, unknown>,
): Promise<SalePreset> {
  return inTransaction(knex, async (trx) => {
    await holdName(trx, `sale presets of team ${teamId}`);
    const own = () => SalePreset.query(trx).where('team_id', teamId);
    if ((await own().resultSize()) >= MAX_PRESETS)
      throw invalid({ name: [`A team has at most ${MAX_PRESETS} presets.`] });
    // SQL: names differ by more than their capitals.
    if ((await own().where(raw('lower(name)'), name.toLowerCase()).resultSize()) > 0)
      throw invalid({ name: ['The team has a preset of this name.'] });
    return SalePreset.query(trx).insert({ team_id: teamId, name, settings }).returning('*');
  });
}

/** The presets of a team, by name. */
export async function readSalePresets(knex: Knex, teamId: number): Promise<SalePreset[]> {
  return SalePreset.query(knex).where('team_id', teamId).orderBy('name').limit(MAX_PRESETS);
}

/** False: the team has no such preset. */
export async function deleteSalePreset(knex: Knex, teamId: number, id: number): Promise<boolean> {
  return (await SalePreset.query(knex).delete().where({ team_id: teamId, id })) > 0;
}
