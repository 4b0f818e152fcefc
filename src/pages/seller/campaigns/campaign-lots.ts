/** The lots that a campaign's form offers: the team's that are not over, each by its number and title. */
import type { Knex } from 'knex';
import { OVER_LOT_SQL } from '../../../shared/statuses/lot-statuses.ts';
import type { Choice } from '../forms/form-options.ts';
import type { Schema } from '../forms/shapes.ts';

/** More than a campaign may have; older ones are not offered. */
const MAX_OFFERED = 500;

interface OfferedLot {
  readonly id: number;
  readonly lot_number: number;
  readonly title: string;
  readonly auction: string;
}

/** Those that are chosen first, whatever has become of them, then the sales, the newest first. */
export async function lotChoices(knex: Knex, teamId: number, chosen: readonly number[]): Promise<Choice[]> {
  const rows: OfferedLot[] = await knex('lots as l')
    .join('auctions as a', 'a.id', 'l.auction_id')
    .where('l.team_id', teamId)
    // SQL: the states by their own list.
    .whereRaw(`(l.status NOT IN ${OVER_LOT_SQL} OR l.id = ANY(?::bigint[]))`, [[...chosen]])
    .orderByRaw('l.id = ANY(?::bigint[]) DESC, l.auction_id DESC, l.lot_number, l.id', [[...chosen]])
    .limit(MAX_OFFERED)
    .select('l.id', 'l.lot_number', 'l.title', 'a.title as auction');
  return rows.map(({ id, lot_number: number, title, auction }) => ({
    value: String(id),
    label: `Lot ${number}: ${title} (${auction})`,
  }));
}

/** The schema with its lots as what is offered; without the field where there are none. */
export function withOfferedLots(whole: Schema, lots: readonly Choice[]): Schema {
  const { lot_ids: list, ...properties } = whole.properties ?? {};
  if (list === undefined || lots.length === 0) return { ...whole, properties };
  const offered = { ...list, 'x-offered': lots.map(({ value }) => value) };
  return { ...whole, properties: { ...properties, lot_ids: offered } };
}

/** What is said of them. */
export function lotsHint(count: number): string {
  return count < MAX_OFFERED
    ? 'Which of your lots it shows; those that are over are not listed.'
    : `Which of your lots it shows; the newest ${MAX_OFFERED} that are not over are listed.`;
}

/** The ids that a campaign has. */
export function chosenIn(resource: Readonly<Record<string, unknown>> | null): number[] {
  const ids: unknown = resource?.['lot_ids'];
  return Array.isArray(ids) ? ids.map(Number) : [];
}
