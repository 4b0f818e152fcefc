/**
 * The headers that guard browsers and open the API to pages of other origins. Ordinary routes get them from
 * koa-helmet and
 * @koa/cors; hot ones from the list below.
 */
import type helmet from 'koa-helmet';

type HelmetOptions = NonNullable<Parameters<typeof helmet>[0]>;

export const EXPOSED_HEADERS: string[] = [
  'ETag',
  'Idempotency-Replayed',
  'Retry-After',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-Request-Id',
];

/** Nothing from other origins, nothing inline; plain HTTP must work too, so nothing is upgraded. */
const CONTENT_SECURITY = {
  defaultSrc: ["'self'"],
  imgSrc: ["'self'", 'data:', 'blob:'],
  objectSrc: ["'none'"],
  baseUri: ["'self'"],
  formAction: ["'self'"],
  frameAncestors: ["'self'"],
};

export const HELMET_OPTIONS: HelmetOptions = {
  contentSecurityPolicy: {
    useDefaults: false,
    directives: CONTENT_SECURITY,
  },
  // For browsers that are no longer in use; each would be a line of every answer.
  xDnsPrefetchControl: false,
  xDownloadOptions: false,
  xPermittedCrossDomainPolicies: false,
  xXssProtection: false,
  originAgentCluster: false,
  // Images and documents of lots may be shown on other sites.
  crossOriginResourcePolicy: { policy: 'cross-origin' },
};

/**
 * What the middleware adds to every answer, as names and values in turn, for the answers that do not pass it. A test
 * holds it against the headers of an ordinary answer.
 */
export const SECURITY_HEADERS: readonly string[] = [
  'Content-Security-Policy',
  contentSecurityPolicy(),
  'Cross-Origin-Opener-Policy',
  'same-origin',
  'Cross-Origin-Resource-Policy',
  'cross-origin',
  'Referrer-Policy',
  'no-referrer',
  'Strict-Transport-Security',
  'max-age=31536000; includeSubDomains',
  'X-Content-Type-Options',
  'nosniff',
  'X-Frame-Options',
  'SAMEORIGIN',
  'Vary',
  'Origin, Accept-Encoding',
  'Access-Control-Allow-Origin',
  '*',
  'Access-Control-Expose-Headers',
  EXPOSED_HEADERS.join(','),
];

function contentSecurityPolicy(): string {
  return Object.entries(CONTENT_SECURITY)
    .map(([name, sources]) =>
      [name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`), ...sources].join(' '),
    )
    .join(';');
}
