/**
 * What a page says of itself to search engines and to whoever shares its address: description, canonical address,
 * picture (Open Graph) and structured data (JSON-LD, schema.org). Pages hand it to `Pages.html`; the layout prints it.
 */

import type { Language } from '../shared/language.ts';
import { type PageTitle, titleIn } from './page-title.ts';

/** An object of schema.org; `@context` is added when it is printed. */
export interface StructuredData {
  readonly '@type': string;
  readonly [property: string]: unknown;
}

/** Paths are absolute and without a query that does not belong to the page. */
export interface PageMeta {
  readonly description: string;
  readonly path: string;
  /** Path or address of a picture. */
  readonly image?: string | null;
  readonly kind?: 'website' | 'product';
  readonly data?: readonly StructuredData[];
  readonly feed?: { readonly title: PageTitle; readonly path: string };
  /** The path of the same as a calendar file. */
  readonly calendar?: string;
  /** Search engines leave it out: it is not public. */
  readonly isHidden?: boolean;
}

export interface ShownMeta {
  readonly description: string;
  readonly address: string;
  readonly image: string;
  /** Whether the picture shows what the page is about, and is not merely the site's. */
  readonly hasOwnImage: boolean;
  readonly kind: string;
  /** JSON that is safe inside a script element. */
  readonly data: readonly string[];
  readonly feed: { readonly title: string; readonly address: string } | null;
  readonly calendar: string | null;
  readonly isHidden: boolean;
}

const DESCRIPTION_LENGTH = 200;
/** For pages without a picture of their own. */
export const SITE_IMAGE = '/icon-512.png';

/** The metadata with whole addresses, as the layout prints it. `baseUrl`: without a slash at its end. */
export function shownMeta(meta: PageMeta, baseUrl: string, language: Language): ShownMeta {
  const whole = (address: string) => (address.startsWith('/') ? `${baseUrl}${address}` : address);
  return {
    description: shortened(meta.description),
    address: whole(meta.path),
    image: whole(meta.image ?? SITE_IMAGE),
    hasOwnImage: meta.image != null,
    kind: meta.kind === 'product' ? 'product' : 'website',
    data: (meta.data ?? []).map((one) => scriptText(withAddresses(one, whole))),
    feed:
      meta.feed === undefined
        ? null
        : { title: titleIn(language, meta.feed.title), address: whole(meta.feed.path) },
    calendar: meta.calendar === undefined ? null : whole(meta.calendar),
    isHidden: meta.isHidden === true,
  };
}

/** One line, cut behind a word. */
function shortened(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  if (line.length <= DESCRIPTION_LENGTH) return line;
  const cut = line.slice(0, DESCRIPTION_LENGTH - 1);
  const end = cut.lastIndexOf(' ');
  return `${end > DESCRIPTION_LENGTH / 2 ? cut.slice(0, end) : cut}…`;
}

/** The keys of schema.org whose values are addresses, which must be whole ones. */
const ADDRESSES = new Set(['url', 'image', 'logo', 'item', 'target']);

function withAddresses(one: StructuredData, whole: (address: string) => string): string {
  return JSON.stringify({ '@context': 'https://schema.org', ...one }, (key, value: unknown) => {
    if (!ADDRESSES.has(key)) return value;
    if (typeof value === 'string') return whole(value);
    return Array.isArray(value)
      ? value.map((each) => (typeof each === 'string' ? whole(each) : each))
      : value;
  });
}

/** A script element ends at `</script`, and a comment in it begins with `<!--`. */
function scriptText(json: string): string {
  return json.replaceAll('<', '\\u003c');
}

/** A seller, as offers, sales and its own page name it. */
export function organization({
  name,
  slug,
}: {
  readonly name: string;
  readonly slug: string;
}): StructuredData {
  return { '@type': 'Organization', name, url: `/sellers/${slug}` };
}

/** The way to a page from the start, as search engines show it above its title. */
export function breadcrumbs(steps: readonly (readonly [name: string, path: string])[]): StructuredData {
  return {
    '@type': 'BreadcrumbList',
    itemListElement: steps.map(([name, path], at) => ({
      '@type': 'ListItem',
      position: at + 1,
      name,
      item: path,
    })),
  };
}
