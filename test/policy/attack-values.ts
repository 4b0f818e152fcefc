/** What is the victim's for a field of each name, what is nowhere in its place, and bodies that name either. */
import type { TSchema } from '@sinclair/typebox';
import { type FieldPath, namingFields, withValue } from './attack-fields.ts';
import { SECRET, type World } from './attack-world.ts';

/** Never given out by any sequence here. */
export const NOWHERE = 987_654_321;

export type Value = string | number;

/** The victim's things that a field of this name may name. */
export function valuesFor({ victim }: World, path: FieldPath): Value[] {
  const name = path.findLast((part) => part !== '0') ?? '';
  const of = (under: string, param: string) => victim.valueOf(under, param);
  const number = (under: string, param: string) => Number(of(under, param));
  const kinds: readonly (readonly [RegExp, () => Value[]])[] = [
    [/invoice|number/, () => ['invoices', 'credit-notes', 'settlements'].map((one) => of(one, 'number'))],
    [/lot/, () => [...victim.lots]],
    [/auction/, () => victim.auctions.flatMap(({ id, slug }) => [id, slug])],
    [/team|seller/, () => [victim.teamId]],
    [/user|buyer/, () => [victim.person.id]],
    [/media/, () => [number('media/', 'media')]],
    [/item/, () => [number('/seller/inventory/', 'id')]],
    [/registration/, () => [number('registrations/', 'registration')]],
    [/question/, () => [number('questions/', 'question')]],
    [/campaign/, () => [number('campaigns/', 'id')]],
    [/group/, () => [number('bid-groups/', 'group')]],
    [/preset/, () => [number('presets/', 'preset')]],
    [/bid/, () => [victim.bidId]],
    [/code/, () => [of('seller/collections', 'code')]],
    [/search|^q|slug/, () => [SECRET]],
    [/model_id/, () => [...victim.lots, ...victim.auctions.map(({ id }) => id)]],
  ];
  if (path.includes('items')) return [number('/seller/inventory/', 'id')];
  const found = kinds.find(([named]) => named.test(name))?.[1]();
  return found ?? [...victim.lots, number('media/', 'media'), number('notifications/', 'notification')];
}

/** The same, and none of anybody's. */
export function nowhere(value: Value): Value {
  if (typeof value === 'number') return NOWHERE;
  if (value === SECRET) return 'Absent-7d21c';
  if (/^\d{8}T\d{6}Z$/.test(value)) return value.replace('2026', '2027');
  if (/^\d+$/.test(value)) return String(NOWHERE).slice(0, value.length);
  if (/^[A-Z]+-\d{4}-\d+$/.test(value)) return value.replace(/\d{5}$/, '77777');
  if (/^[0-9a-f]{8,}$/.test(value)) return value.replaceAll(/./g, 'f');
  return value.replaceAll(/[a-z0-9]/gi, 'q');
}

/** Each field alone, and all of them at once: what belongs together is the victim's as a whole. */
export function fieldAttacks(world: World, schema: TSchema, base: unknown) {
  const named = namingFields(schema).flatMap((field) =>
    valuesFor(world, field).map((value) => ({ field, value })),
  );
  const alone = named.map(({ field, value }) => ({
    at: `body ${field.join('.')}`,
    real: withValue(schema, base, field, value),
    twin: withValue(schema, base, field, nowhere(value)),
  }));
  const firsts = [...new Map(named.toReversed().map((one) => [one.field.join('.'), one])).values()];
  if (firsts.length < 2) return alone;
  const all = (change: (value: Value) => Value) =>
    firsts.reduce((body, { field, value }) => withValue(schema, body, field, change(value)), base);
  return [...alone, { at: 'body, all', real: all((value) => value), twin: all(nowhere) }];
}
