/**
 * The demo's category tree. Each form of custom fields is a JSON Schema; a child's form holds its parents' fields
 * too.
 */
import type { ImportedCategory } from '../import/import.schema.ts';

interface Field {
  readonly type: 'string' | 'integer' | 'number' | 'boolean';
  readonly title: string;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
}

const text = (title: string): Field => ({ type: 'string', title, maxLength: 200 });
const choice = (title: string, ...values: string[]): Field => ({ type: 'string', title, enum: values });
const flag = (title: string): Field => ({ type: 'boolean', title });
const whole = (title: string, minimum: number, maximum: number): Field => ({
  type: 'integer',
  title,
  minimum,
  maximum,
});

/** A category without its place among the others, and those below it. */
interface Branch {
  readonly category: Omit<ImportedCategory, 'parent' | 'position'> & { readonly slug: string };
  readonly below: readonly Branch[];
}

function branch(
  slug: string,
  name: string,
  description: string,
  fields: Record<string, Field>,
  below: readonly Branch[] = [],
): Branch {
  const schema = { type: 'object', properties: fields, required: [], additionalProperties: false };
  return {
    category: { slug, name, description, schema, ui_schema: { 'ui:order': Object.keys(fields) } },
    below,
  };
}

function placed(branches: readonly Branch[], parent: string | null): ImportedCategory[] {
  return branches.flatMap(({ category, below }, index) => [
    { ...category, parent, position: index + 1 },
    ...placed(below, category.slug),
  ]);
}

export const DEMO_CATEGORIES = placed(
  [
    branch(
      'land',
      'Land',
      'Acreage, ranches, timber and building sites.',
      {
        terrain: choice('Terrain', 'flat', 'rolling', 'wooded', 'desert', 'mountain'),
        survey_year: whole('Year of the last survey', 1850, 2100),
        annual_taxes: { type: 'number', title: 'Annual taxes in dollars', minimum: 0 },
      },
      [
        branch('ranch-land', 'Ranch & grazing', 'Grass, water and fences.', {
          carrying_capacity: whole('Animal units', 0, 100_000),
          fenced: flag('Fenced on all sides'),
        }),
        branch('timber-land', 'Timber & recreation', 'Woods to work and to walk.', {
          main_species: text('Main species'),
          hunting: flag('Hunting allowed'),
        }),
      ],
    ),
    branch(
      'equipment',
      'Machinery & tools',
      'What gets the work done.',
      {
        make: text('Make'),
        model: text('Model'),
        year: whole('Year', 1900, 2100),
      },
      [
        branch('farm-machinery', 'Farm machinery', 'Tractors, implements, trailers.', {
          engine_hours: whole('Engine hours', 0, 200_000),
          drive: choice('Drive', '2WD', '4WD', 'tracks'),
        }),
        branch('shop-tools', 'Shop tools', 'Benches, saws, lathes and hand tools.', {
          power: choice('Power', 'hand', 'corded', 'battery', 'air'),
        }),
      ],
    ),
    branch(
      'collectibles',
      'Collectibles',
      'Small things with long stories.',
      {
        period: text('Period'),
        provenance: text('Provenance'),
      },
      [
        branch('watches', 'Watches', 'Wrist and pocket watches.', {
          movement: choice('Movement', 'manual', 'automatic', 'quartz'),
          serviced: flag('Serviced within three years'),
        }),
        branch('coins', 'Coins', 'Gold, silver and curiosities.', {
          grade: text('Grade'),
          metal: choice('Metal', 'gold', 'silver', 'copper', 'nickel'),
        }),
        branch('antiques', 'Antiques & art', 'Furniture, pictures, rugs.', {
          material: text('Material'),
        }),
      ],
    ),
  ],
  null,
);
