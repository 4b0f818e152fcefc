/** A team's consignors as its forms call them: by name, and by the account's number as well where two have one name. */
import { objectIn, objectsIn } from '../../../../engine/objects.ts';
import type { Visit } from '../frame/desk.ts';

export interface ConsignorNames {
  /** What a form offers. */
  readonly all: readonly string[];
  /** What a form shows: the number of an account whose name the team does not know, nothing for nobody. */
  of(id: unknown): string;
}

/** Reads them by the API. */
export async function consignorNames(visit: Visit): Promise<ConsignorNames> {
  const { data } = await visit.perform('listConsignorLinks');
  const { links, consignors } = objectIn(data);
  const names = new Map<number, string>();
  for (const link of objectsIn(links))
    if (link['revoked_at'] === null && typeof link['consignor_id'] === 'number')
      names.set(link['consignor_id'], String(link['name']));
  for (const one of objectsIn(consignors)) names.set(Number(one['id']), String(one['name']));
  const count = new Map<string, number>();
  for (const name of names.values()) count.set(plain(name), (count.get(plain(name)) ?? 0) + 1);
  const shown = new Map(
    [...names].map(([id, name]) => [id, (count.get(plain(name)) ?? 0) > 1 ? `${name} (${id})` : name]),
  );
  return {
    all: [...shown.values()].toSorted(),
    of: (id) => (typeof id === 'number' ? (shown.get(id) ?? String(id)) : ''),
  };
}

const plain = (name: string) => name.trim().toLowerCase();
