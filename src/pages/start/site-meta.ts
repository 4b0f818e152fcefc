/** The site as schema.org describes it: `WebSite` with its search, and the `Organization` that runs it. */
import type { Operator } from '../../shared/operator.ts';
import { type PageMeta, SITE_IMAGE } from '../page-meta.ts';

/** How the start page presents itself, with the search that engines may offer. */
export function siteMeta(
  { name, logo, hash }: Pick<Operator, 'name' | 'logo' | 'hash'>,
  image: string | null,
): PageMeta {
  return {
    image,
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
      {
        '@type': 'Organization',
        name,
        url: '/',
        logo: logo === null ? SITE_IMAGE : `/operator/logo?v=${hash}`,
      },
    ],
  };
}
