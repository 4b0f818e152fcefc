/** What the form of a new sale can begin with: an earlier sale of the team, or one of its presets. */
import { objectIn, objectsIn } from '../../../../engine/objects.ts';
import { notFound } from '../../../shared/refusal.ts';
import { type FormTexts, textsOf } from '../forms/form-values.ts';
import { knownZone } from '../forms/local-times.ts';
import { auctionAt, type Desk, shownFor, type Visit } from '../frame/desk.ts';
import { auctionSchema } from './auction-form.ts';

/** What an earlier auction of the team was set up with: all but what is its own. */
export async function textsLike(desk: Desk, visit: Visit, id: number): Promise<FormTexts> {
  const auction = await auctionAt(visit, id);
  const schema = auctionSchema(desk, true, auction.format, auction.type);
  const texts = textsOf(schema, objectIn(auction), shownFor(visit.request, knownZone(auction.timezone)));
  const own = Object.keys(texts).filter((name) => /^(viewings|collections)\./.test(name));
  return without(texts, 'title', 'description', 'start_time', 'end_time', 'collect_by', ...own);
}

/** The team's newest auctions, which another may be like. */
export function newestAuctions({ knex }: Desk, teamId: number): Promise<{ id: number; title: string }[]> {
  return knex('auctions').where('team_id', teamId).orderBy('id', 'desc').limit(5).select('id', 'title');
}

/** The team's presets, by name. */
export async function presetsOf(visit: Visit): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const { data } = await visit.perform('listSalePresets', { params: { team: visit.team.id } });
  return objectsIn(data);
}

/** What a preset says. Throws 404. */
export async function textsOfPreset(desk: Desk, visit: Visit, id: number): Promise<FormTexts> {
  const preset = (await presetsOf(visit)).find((one) => one['id'] === id);
  if (preset === undefined) throw notFound('There is no such preset.');
  const settings = objectIn(preset['settings']);
  const schema = auctionSchema(desk, true, String(settings['format']), String(settings['type']));
  const texts = textsOf(schema, settings, shownFor(visit.request, knownZone(String(settings['timezone']))));
  return Object.fromEntries(Object.entries(texts).filter(([name]) => (name.split('.')[0] ?? '') in settings));
}

/** Texts but those of some fields. */
export function without(marks: FormTexts, ...names: readonly string[]): FormTexts {
  return Object.fromEntries(Object.entries(marks).filter(([name]) => !names.includes(name)));
}
