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

function category(
  slug: string,
  name: string,
  parent: string | null,
  position: number,
  description: string,
  fields: Record<string, Field> = {},
  required: string[] = [],
): ImportedCategory {
  return {
    slug,
    name,
    parent,
    position,
    description,
    schema: { type: 'object', properties: fields, required, additionalProperties: false },
    ui_schema: { 'ui:order': Object.keys(fields) },
  };
}

export const DEMO_CATEGORIES: ImportedCategory[] = [
  category('land', 'Land', null, 1, 'Acreage, ranches, timber and building sites.', {
    terrain: choice('Terrain', 'flat', 'rolling', 'wooded', 'desert', 'mountain'),
    survey_year: whole('Year of the last survey', 1850, 2100),
    annual_taxes: { type: 'number', title: 'Annual taxes in dollars', minimum: 0 },
  }),
  category('ranch-land', 'Ranch & grazing', 'land', 1, 'Grass, water and fences.', {
    carrying_capacity: whole('Animal units', 0, 100_000),
    fenced: flag('Fenced on all sides'),
  }),
  category('timber-land', 'Timber & recreation', 'land', 2, 'Woods to work and to walk.', {
    main_species: text('Main species'),
    hunting: flag('Hunting allowed'),
  }),
  category('equipment', 'Machinery & tools', null, 2, 'What gets the work done.', {
    make: text('Make'),
    model: text('Model'),
    year: whole('Year', 1900, 2100),
  }),
  category('farm-machinery', 'Farm machinery', 'equipment', 1, 'Tractors, implements, trailers.', {
    engine_hours: whole('Engine hours', 0, 200_000),
    drive: choice('Drive', '2WD', '4WD', 'tracks'),
  }),
  category('shop-tools', 'Shop tools', 'equipment', 2, 'Benches, saws, lathes and hand tools.', {
    power: choice('Power', 'hand', 'corded', 'battery', 'air'),
  }),
  category('collectibles', 'Collectibles', null, 3, 'Small things with long stories.', {
    period: text('Period'),
    provenance: text('Provenance'),
  }),
  category('watches', 'Watches', 'collectibles', 1, 'Wrist and pocket watches.', {
    movement: choice('Movement', 'manual', 'automatic', 'quartz'),
    serviced: flag('Serviced within three years'),
  }),
  category('coins', 'Coins', 'collectibles', 2, 'Gold, silver and curiosities.', {
    grade: text('Grade'),
    metal: choice('Metal', 'gold', 'silver', 'copper', 'nickel'),
  }),
  category('antiques', 'Antiques & art', 'collectibles', 3, 'Furniture, pictures, rugs.', {
    material: text('Material'),
  }),
];
