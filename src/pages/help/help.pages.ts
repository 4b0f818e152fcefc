/** `/help`: the Help Center for people, with search, and each article on its own page. */
import { Type } from '@sinclair/typebox';
import type { Knex } from 'knex';
import { type Endpoint, endpoint } from '../../../adapters/http/endpoint.ts';
import { searchHelp } from '../../catalog/directory/help.endpoints.ts';
import { notFound } from '../../shared/refusal.ts';
import { PAGE, type Pages } from '../page.ts';

interface Article {
  readonly slug: string;
  readonly title: string;
  readonly body: string;
  readonly category: string;
  readonly category_slug: string;
  readonly description: string | null;
}

const MAX_HITS = 50;

export function helpPages({ knex, pages }: { readonly knex: Knex; readonly pages: Pages }): Endpoint[] {
  return [
    endpoint({
      ...PAGE,
      method: 'GET',
      path: '/help',
      operationId: 'helpPage',
      summary: 'The Help Center',
      query: Type.Object({ q: Type.String({ maxLength: 200, default: '' }) }),
      async handle(request) {
        const q = request.query.q.trim();
        const hits =
          q.length < 2
            ? null
            : (await searchHelp(knex, { q, category: null, page: 1, perPage: MAX_HITS })).hits;
        const data = { q, hits, topics: hits === null ? topicsOf(await readArticles(knex)) : [] };
        return pages.html(request, { title: 'Help Center', template: 'help/help', data });
      },
    }),
    endpoint({
      ...PAGE,
      method: 'GET',
      path: '/help/{article}',
      operationId: 'helpArticlePage',
      summary: 'An article of the Help Center',
      params: Type.Object({ article: Type.String({ pattern: '^[a-z0-9-]{1,200}$' }) }),
      async handle(request) {
        const [article] = await readArticles(knex, request.params.article);
        if (article === undefined) throw notFound('There is no such article.');
        const beside = (await readArticles(knex)).filter(
          (one) => one.category_slug === article.category_slug && one.slug !== article.slug,
        );
        const data = { article, beside };
        return pages.html(request, { title: article.title, template: 'help/article', data });
      },
    }),
  ];
}

/** Articles under their categories, both in their order. */
function topicsOf(articles: readonly Article[]) {
  const topics = new Map<string, { name: string; description: string | null; articles: Article[] }>();
  for (const article of articles) {
    const { category_slug: slug, category: name, description } = article;
    const topic = topics.get(slug) ?? { name, description, articles: [] };
    topic.articles.push(article);
    topics.set(slug, topic);
  }
  return [...topics.values()];
}

async function readArticles(knex: Knex, slug: string | null = null): Promise<Article[]> {
  const query = knex('help_articles as a')
    .join('help_categories as c', 'c.id', 'a.help_category_id')
    .orderBy(['c.position', 'c.id', 'a.position', 'a.id'])
    .select('a.slug', 'a.title', 'a.body', 'c.name as category', 'c.slug as category_slug', 'c.description');
  if (slug !== null) query.where('a.slug', slug);
  return query;
}
