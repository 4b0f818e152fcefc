/**
 * `/docs`: what a developer reads. Every piece of code on these pages is a file alongside them, shown unchanged and run
 * by a test as shown; examples of the bidding rules come from the engine.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Endpoint, endpoint } from '../../../adapters/http/endpoint.ts';
import { EVENT_KINDS } from '../../events/event-names.ts';
import { PROJECT_ROOT } from '../../shared/project-root.ts';
import { PAGE, type Pages } from '../page.ts';
import type { PageMeta } from '../page-meta.ts';
import { operationsByCode } from './api-reference.ts';
import { changelogFeed, releases } from './changelog.pages.ts';
import { workedExamples } from './worked-examples.ts';

/** A refusal that the API can give. */
export interface DocumentedCode {
  readonly code: string;
  readonly status: number;
  readonly message: string;
}

export interface GuideParts {
  readonly pages: Pages;
  /** The API's description; made at the first request, because it is made from a list that includes these pages. */
  readonly document: () => object;
  readonly codes: readonly DocumentedCode[];
  /** There is a test sale. */
  readonly hasTests: boolean;
}

/** Path, name and what it holds, in the order in which they are read. */
export const GUIDES = [
  ['/docs/quick-start', 'Quick start', 'From a token to a bid that stands, in curl and TypeScript.'],
  ['/docs/clients', 'Clients', 'Typed clients for TypeScript and Python, with retries and live streams.'],
  ['/docs/api', 'API reference', 'Every operation with its fields, answers and an example, and a search.'],
  ['/docs/webhooks', 'Webhooks', 'Receiving events, and checking signatures in TypeScript and Python.'],
  [
    '/docs/bidding-rules',
    'Bidding rules',
    'How bids are decided, with examples calculated by the bidding engine.',
  ],
  [
    '/docs/formats',
    'Ways to sell',
    'By the unit, in groups, on a falling clock, by tender, as parcels and by choice.',
  ],
  [
    '/docs/simulcast',
    'Simulcast',
    'Sending floor bids and results, and signing them in TypeScript and Python.',
  ],
  ['/docs/journal', 'The journal', 'What each lot’s journal contains, and how to check it.'],
  ['/docs/fairness', 'Fairness', 'For bidders: how to check that a sale was honest, without mathematics.'],
  ['/docs/errors', 'Errors', 'Every error code, what it means, and which operations return it.'],
  ['/docs/changelog', 'Changelog', 'What has changed, also as a feed.'],
] as const;

interface Guide {
  readonly path: string;
  readonly operationId: string;
  readonly title: string;
  readonly template: string;
  /** Made once in a process. */
  readonly data?: () => object;
  readonly meta?: PageMeta;
}

const EXAMPLES = join(PROJECT_ROOT, 'src', 'pages', 'developers', 'examples');
const SUFFIX = '.txt';

/** File name without the suffix → text. */
const examples = new Map(
  readdirSync(EXAMPLES).map((name) => [
    name.slice(0, -SUFFIX.length),
    readFileSync(join(EXAMPLES, name), 'utf8').trimEnd(),
  ]),
);

export function guidePages({ pages, document, codes, hasTests }: GuideParts): Endpoint[] {
  const guides: Guide[] = [
    { path: '/docs', operationId: 'docsPage', title: 'Developers', template: 'docs' },
    {
      path: '/docs/quick-start',
      operationId: 'quickStartPage',
      title: 'Quick start',
      template: 'quick-start',
      data: () => ({ hasTests }),
    },
    {
      path: '/docs/clients',
      operationId: 'clientsPage',
      title: 'Clients',
      template: 'clients',
      data: () => ({ hasTests }),
    },
    {
      path: '/docs/webhooks',
      operationId: 'webhooksGuidePage',
      title: 'Webhooks',
      template: 'webhooks-guide',
      data: () => ({ kinds: EVENT_KINDS }),
    },
    {
      path: '/docs/bidding-rules',
      operationId: 'biddingRulesPage',
      title: 'Bidding rules',
      template: 'bidding-rules',
      data: () => ({ worked: workedExamples() }),
    },
    { path: '/docs/formats', operationId: 'formatsGuidePage', title: 'Ways to sell', template: 'formats' },
    { path: '/docs/simulcast', operationId: 'simulcastGuidePage', title: 'Simulcast', template: 'simulcast' },
    { path: '/docs/journal', operationId: 'journalGuidePage', title: 'The journal', template: 'journal' },
    { path: '/docs/fairness', operationId: 'fairnessGuidePage', title: 'Fairness', template: 'fairness' },
    {
      path: '/docs/errors',
      operationId: 'errorsPage',
      title: 'Errors',
      template: 'errors',
      data: () => ({
        codes: codes.map((one) => ({ ...one, operations: operationsByCode(document(), one.code) })),
      }),
    },
    {
      path: '/docs/changelog',
      operationId: 'changelogPage',
      title: 'Changelog',
      template: 'changelog',
      data: () => ({ releases: releases() }),
      meta: {
        description: 'What has changed in the API and on the pages.',
        path: '/docs/changelog',
        feed: { title: 'Changelog', path: '/changelog.xml' },
      },
    },
  ];
  return [...guides.map((guide) => guidePage(pages, guide)), changelogFeed()];
}

function guidePage(pages: Pages, { path, operationId, title, template, data, meta }: Guide): Endpoint {
  let made: object | null = null;
  return endpoint({
    ...PAGE,
    method: 'GET',
    path,
    operationId,
    summary: title,
    async handle(request) {
      made ??= data?.() ?? {};
      const shared = {
        guides: GUIDES,
        code: codeOf,
        baseUrl: request.baseUrl,
        sheets: ['reference.css'],
        modules: ['copy-code.js'],
      };
      const page = { title, template: `developers/${template}`, data: { ...made, ...shared } };
      return pages.html(request, meta === undefined ? page : { ...page, meta });
    },
  });
}

/** The text of an example. Throws for a name that is not there. */
function codeOf(name: string): string {
  const text = examples.get(name);
  if (text === undefined) throw new TypeError(`there is no example ${name}`);
  return text;
}
