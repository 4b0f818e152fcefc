/** Small texts that a site has at fixed addresses: whom to report a weakness to, the verifier, the icon. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Endpoint, endpoint, type HttpRequest } from '../../adapters/http/endpoint.ts';
import { PROJECT_ROOT } from '../shared/project-root.ts';
import { assetUrl } from './assets.ts';

const VERIFIER = readFileSync(join(PROJECT_ROOT, 'verifier', 'verify.mjs'), 'utf8');
const VALID_DAYS = 180;
const DAY_MS = 86_400_000;

const TEXT = {
  method: 'GET',
  tags: ['Pages'],
  access: { kind: 'public' },
  undocumented: true,
  responses: { 200: { description: 'The text.', contentType: 'text/plain' } },
} as const;

/** `securityContact`: whom to report a weakness to; null is `security@` at the name that the caller used. */
export function servicePages(securityContact: string | null): Endpoint[] {
  return [
    endpoint({
      ...TEXT,
      path: '/.well-known/security.txt',
      operationId: 'securityTxt',
      summary: 'Where to report a vulnerability (RFC 9116)',
      handle: async (request) => textReply(securityText(request, securityContact)),
    }),
    endpoint({
      ...TEXT,
      path: '/verify.mjs',
      operationId: 'verifier',
      summary: 'The verifier of journals: one file for Node and browsers',
      handle: async () => ({
        ...textReply(VERIFIER),
        contentType: 'text/javascript; charset=utf-8',
      }),
    }),
    endpoint({
      ...TEXT,
      path: '/favicon.ico',
      operationId: 'favicon',
      summary: 'The icon, for browsers that request it by its default address',
      handle: async () => ({ status: 302, headers: { Location: assetUrl('icon.svg') } }),
    }),
  ];
}

function securityText({ baseUrl }: HttpRequest, contact: string | null): string {
  const { hostname } = new URL(baseUrl);
  const today = Math.floor(Date.now() / DAY_MS) * DAY_MS;
  const lines = [
    `Contact: ${contact ?? `mailto:security@${hostname}`}`,
    `Expires: ${new Date(today + VALID_DAYS * DAY_MS).toISOString()}`,
    'Preferred-Languages: en',
  ];
  // The standard allows addresses of the web only under https.
  if (baseUrl.startsWith('https:')) lines.push(`Canonical: ${baseUrl}/.well-known/security.txt`);
  return `${lines.join('\n')}\n`;
}

function textReply(raw: string) {
  const headers = { 'Cache-Control': 'public, max-age=86400' };
  return { status: 200, raw, contentType: 'text/plain; charset=utf-8', headers };
}
