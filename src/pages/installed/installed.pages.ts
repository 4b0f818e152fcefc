/**
 * The site as an app on a phone: its manifest with icons, the worker that shows what push services bring and a page
 * while the network is away, and the browser that a signed-in person wants to be told at.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Type } from '@sinclair/typebox';
import type { Knex } from 'knex';
import { type Endpoint, endpoint } from '../../../adapters/http/endpoint.ts';
import { addSubscription } from '../../notifications/browsers/push-subscriptions.ts';
import type { Operator } from '../../shared/operator.ts';
import { PROJECT_ROOT } from '../../shared/project-root.ts';
import { assetUrl } from '../assets.ts';
import { PAGE, type Pages } from '../page.ts';

export interface InstalledPageParts {
  readonly knex: Knex;
  readonly pages: Pages;
  /** Throws 422 for an address that nothing may be sent to. */
  readonly requireEndpoint: (url: string) => Promise<void>;
}

const FOLDER = join(PROJECT_ROOT, 'src', 'pages', 'installed');
const SIZES = [192, 512] as const;

const FILE = {
  method: 'GET',
  tags: ['Pages'],
  access: { kind: 'public' },
  undocumented: true,
  responses: { 200: { description: 'The file.', contentType: 'text/plain' } },
} as const;

export function installedPages(parts: InstalledPageParts): Endpoint[] {
  return [...appFiles(parts), ...appPages(parts)];
}

/** What a phone reads of the app. */
function appFiles({ pages }: InstalledPageParts): Endpoint[] {
  return [
    endpoint({
      ...FILE,
      path: '/manifest.webmanifest',
      operationId: 'manifest',
      summary: 'What a phone shows of the site as an app',
      handle: async () => ({
        status: 200,
        raw: JSON.stringify(manifest(pages.operator)),
        contentType: 'application/manifest+json; charset=utf-8',
        headers: { 'Cache-Control': 'public, max-age=3600' },
      }),
    }),
    endpoint({
      ...FILE,
      path: '/service-worker.js',
      operationId: 'serviceWorker',
      summary: 'Shows messages of push services, and a page while the network is away',
      handle: async () => ({
        status: 200,
        raw: workerText(),
        contentType: 'text/javascript; charset=utf-8',
        headers: { 'Cache-Control': 'no-cache' },
      }),
    }),
    ...SIZES.map((size) =>
      endpoint({
        ...FILE,
        path: `/icon-${size}.png`,
        operationId: `icon${size}`,
        summary: 'The icon of the app',
        handle: async () => ({
          status: 200,
          raw: await iconOf(size),
          contentType: 'image/png',
          headers: { 'Cache-Control': 'public, max-age=86400' },
        }),
      }),
    ),
  ];
}

function appPages({ knex, pages, requireEndpoint }: InstalledPageParts): Endpoint[] {
  return [
    endpoint({
      ...PAGE,
      method: 'GET',
      path: '/offline',
      operationId: 'offlinePage',
      summary: 'What is shown while the network is away',
      handle: async (request) =>
        pages.html(request, { title: 'No connection', template: 'installed/offline', keepsSession: true }),
    }),
    endpoint({
      ...PAGE,
      method: 'POST',
      path: '/account/push',
      operationId: 'pushOnPage',
      summary: 'Has this browser told of what is urgent',
      body: {
        form: Type.Object({
          endpoint: Type.String({ maxLength: 2_000 }),
          p256dh: Type.String({ maxLength: 200 }),
          auth: Type.String({ maxLength: 100 }),
        }),
      },
      handle: (request) =>
        pages.forSignedIn(request, async (who) => {
          const { endpoint: url, p256dh, auth } = request.body;
          await requireEndpoint(url);
          await addSubscription(knex, who.userId, { endpoint: url, keys: { p256dh, auth } });
          return pages.go('/account/notifications');
        }),
    }),
  ];
}

function manifest({ name, color }: Operator) {
  return {
    name,
    short_name: name.length > 12 ? (name.split(' ')[0] ?? name) : name,
    description: 'Auctions with live bids',
    id: '/',
    start_url: '/account/board',
    scope: '/',
    display: 'standalone',
    background_color: '#f8f8f4',
    theme_color: color ?? '#14532d',
    icons: [
      ...SIZES.map((size) => ({ src: `/icon-${size}.png`, sizes: `${size}x${size}`, type: 'image/png' })),
      { src: assetUrl('icon.svg'), sizes: 'any', type: 'image/svg+xml', purpose: 'any' },
    ],
  };
}

let worker: string | null = null;

/** With the names of what the offline page is made of. */
function workerText(): string {
  worker ??= readFileSync(join(FOLDER, 'service-worker.js'), 'utf8').replace(
    '__KEPT__',
    JSON.stringify(['/offline', assetUrl('site.css'), assetUrl('icon.svg')]),
  );
  return worker;
}

const icons = new Map<number, Buffer>();

/** Drawn from the site's own once, when somebody first asks. */
async function iconOf(size: number): Promise<Buffer> {
  const known = icons.get(size);
  if (known !== undefined) return known;
  const { default: sharp } = await import('sharp');
  const svg = readFileSync(join(PROJECT_ROOT, 'src', 'pages', 'assets', 'icon.svg'));
  const drawn = await sharp(svg, { density: (72 * size) / 24 })
    .resize(size, size)
    .png()
    .toBuffer();
  icons.set(size, drawn);
  return drawn;
}
