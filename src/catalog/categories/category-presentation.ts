/** How categories are shown. */

import { Type } from '@sinclair/typebox';
import { CategoryColumns } from './category.model.ts';
import type { CategoryNode } from './category-tree.ts';

/** A category where it is only named. */
export const CategoryBrief = Type.Pick(CategoryColumns, ['id', 'name'], { $id: 'CategoryBrief' });

const shown = Type.Pick(CategoryColumns, ['id', 'name', 'slug', 'parent_id', 'description', 'position']);

export const Category = Type.Recursive(
  (This) =>
    Type.Object({
      ...shown.properties,
      lots_count: Type.Integer({ description: 'Listed lots, including those of descendant categories.' }),
      childCategories: Type.Optional(Type.Array(This, { description: 'Only in the tree.' })),
    }),
  { $id: 'Category' },
);

export const CategoryForm = Type.Object({
  category_id: Type.Integer(),
  schema: Type.Object({}, { additionalProperties: true, description: 'JSON Schema 2020-12.' }),
  ui_schema: Type.Object({}, { additionalProperties: true, description: 'Hints for rendering the form.' }),
});

export interface PresentedCategory {
  readonly id: number;
  readonly name: string;
  readonly slug: string;
  readonly parent_id: number | null;
  readonly description: string | null;
  readonly position: number;
  readonly lots_count: number;
  readonly childCategories?: readonly PresentedCategory[];
}

export function presentCategory(node: CategoryNode, counts: ReadonlyMap<number, number>): PresentedCategory {
  const { id, name, slug, parentId, description, position } = node;
  return { id, name, slug, parent_id: parentId, description, position, lots_count: counts.get(id) ?? 0 };
}

/** With everything below it. */
export function presentTree(node: CategoryNode, counts: ReadonlyMap<number, number>): PresentedCategory {
  return {
    ...presentCategory(node, counts),
    childCategories: node.children.map((child) => presentTree(child, counts)),
  };
}
