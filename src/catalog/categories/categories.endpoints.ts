/** Reading categories: the flat list, the tree, one of them, its children, and the form of its lots' custom fields. */
import { Type } from '@sinclair/typebox';
import { type Endpoint, endpoint, type Reply } from '../../../adapters/http/endpoint.ts';
import { success } from '../../../adapters/http/envelope.ts';
import { idOrSlug } from '../../shared/id-or-slug.ts';
import { bodyOf } from '../../shared/paging/page.schema.ts';
import { notFound } from '../../shared/refusal.ts';
import { Category, CategoryForm, presentCategory, presentTree } from './category-presentation.ts';
import { joinSchemas } from './category-schema.ts';
import { type CategoryNode, type CategoryTree, pathTo } from './category-tree.ts';

const CategoryParams = Type.Object({
  category: idOrSlug('The id or the slug.'),
});

const head = { method: 'GET', tags: ['Catalog'], access: { kind: 'public' } } as const;

export function categoryEndpoints(tree: CategoryTree): Endpoint[] {
  const find = async (idOrSlug: string): Promise<CategoryNode> => {
    const found = await tree.find(idOrSlug);
    if (found === null) throw notFound('There is no such category.');
    return found;
  };
  return [listEndpoint(tree), ...oneEndpoints(tree, find), formEndpoint(tree, find)];
}

function listEndpoint(tree: CategoryTree): Endpoint {
  return endpoint({
    ...head,
    path: '/api/v1/categories',
    operationId: 'listCategories',
    summary: 'All categories, flat or as a tree',
    query: Type.Object({
      tree: Type.Optional(
        Type.Boolean({
          description: 'Return root categories, each with its descendants in `childCategories`.',
        }),
      ),
    }),
    responses: { 200: { description: 'The categories.', schema: bodyOf(Type.Array(Category)) } },
    async handle({ query }): Promise<Reply> {
      const [forest, counts] = await Promise.all([tree.forest(), tree.lotCounts()]);
      return query.tree === true
        ? success(forest.roots.map((node) => presentTree(node, counts)))
        : success(forest.all.map((node) => presentCategory(node, counts)));
    },
  });
}

function oneEndpoints(tree: CategoryTree, find: (idOrSlug: string) => Promise<CategoryNode>): Endpoint[] {
  return [
    endpoint({
      ...head,
      path: '/api/v1/categories/{category}',
      operationId: 'getCategory',
      summary: 'One category',
      params: CategoryParams,
      responses: { 200: { description: 'The category.', schema: bodyOf(Category) } },
      async handle({ params }) {
        const node = await find(params.category);
        return success(presentCategory(node, await tree.lotCounts()));
      },
    }),
    endpoint({
      ...head,
      path: '/api/v1/categories/{category}/children',
      operationId: 'listChildCategories',
      summary: 'The categories directly below one',
      params: CategoryParams,
      responses: { 200: { description: 'The children.', schema: bodyOf(Type.Array(Category)) } },
      async handle({ params }) {
        const node = await find(params.category);
        const counts = await tree.lotCounts();
        return success(node.children.map((child) => presentCategory(child, counts)));
      },
    }),
  ];
}

function formEndpoint(tree: CategoryTree, find: (idOrSlug: string) => Promise<CategoryNode>): Endpoint {
  return endpoint({
    ...head,
    path: '/api/v1/categories/{category}/schema',
    operationId: 'getCategorySchema',
    summary: 'The form schema of a category’s custom fields',
    description: 'A JSON Schema 2020-12 object, including the fields of its ancestors.',
    params: CategoryParams,
    responses: { 200: { description: 'The form.', schema: bodyOf(CategoryForm) } },
    async handle({ params }) {
      const node = await find(params.category);
      const path = pathTo(node, await tree.forest());
      return success({
        category_id: node.id,
        schema: joinSchemas(path.map((one) => one.schema)),
        ui_schema: Object.assign({}, ...path.map((one) => one.uiSchema)),
      });
    },
  });
}
