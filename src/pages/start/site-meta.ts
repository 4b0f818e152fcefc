/** The site as schema.org describes it: `WebSite` with its search. */
import type { PageMeta } from '../page-meta.ts';

/** How the start page presents itself, with the search that engines may offer. */
export function siteMeta(name: string): PageMeta {
  return {
    description: 'Live auctions of land, machinery and equipment by independent sellers, every bid in order.',
    path: '/',
    data: [
      {
        '@type': 'WebSite',
        name,
        url: '/',
        potentialAction: {
          '@type': 'SearchAction',
          target: '/lots?search={search_term_string}',
          'query-input': 'required name=search_term_string',
        },
      },
    ],
  };
}
