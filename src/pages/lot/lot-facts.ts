/** What describes a lot as names and values for people: the fields of its land, then those of its category. */

import { objectIn } from '../../../engine/objects.ts';
import type { CategoryTree } from '../../catalog/categories/category-tree.ts';
import { pathTo } from '../../catalog/categories/category-tree.ts';
import { fieldsOf } from '../../shared/lot-field-lists.ts';

export interface Fact {
  readonly name: string;
  readonly value: string;
}

/** The fields of the land that something was said of. */
export function landFacts(land: Readonly<Record<string, unknown>>): Fact[] {
  return fieldsOf('land')
    .map(([name, { label }]) => ({ name: label, value: land[name] ?? '' }))
    .map(({ name, value }) => ({ name, value: valueText(name, value) }))
    .filter(({ value }) => value !== '');
}

/** Custom fields, in the order and the words of the category's schema. */
export async function customFacts(
  categories: CategoryTree,
  lot: {
    readonly category: { readonly id: number } | null;
    readonly custom_fields: Readonly<Record<string, unknown>>;
  },
): Promise<Fact[]> {
  const titles = new Map<string, string>();
  if (lot.category !== null) {
    const forest = await categories.forest();
    const node = forest.byId.get(lot.category.id);
    for (const { schema } of node === undefined ? [] : pathTo(node, forest)) {
      for (const [name, property] of Object.entries(objectIn(schema['properties']))) {
        const { title } = objectIn(property);
        titles.set(name, typeof title === 'string' ? title : labelOf(name));
      }
    }
  }
  const fields = Object.entries(lot.custom_fields).filter(([, value]) => value !== null && value !== '');
  const order = [...titles.keys()];
  const rankOf = (name: string) => (order.includes(name) ? order.indexOf(name) : order.length);
  return fields
    .sort(([one], [other]) => rankOf(one) - rankOf(other))
    .map(([name, value]) => ({ name: titles.get(name) ?? labelOf(name), value: valueText(name, value) }));
}

function labelOf(name: string): string {
  const words = name.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function valueText(name: string, value: unknown): string {
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  if (typeof value === 'number') return /year/i.test(name) ? String(value) : value.toLocaleString('en-US');
  if (Array.isArray(value)) return value.map((one) => valueText(name, one)).join(', ');
  if (typeof value !== 'object') return String(value);
  const parts = Object.entries(value ?? {}).filter(([, part]) => part !== null && part !== '');
  return parts.map(([key, part]) => `${labelOf(key)}: ${valueText(key, part)}`).join('; ');
}
