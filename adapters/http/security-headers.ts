/**
 * The headers that guard browsers and open the API to pages of other origins. Ordinary routes get them from koa-helmet and
 * @koa/cors; hot ones from a list made once from the same options, so that the two cannot drift apart.
 */
import type { Context } from 'koa';
import helmet from 'koa-helmet';

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

/** Nothing from other origins, no inline scripts; plain HTTP must work too, so nothing is upgraded. */
export const HELMET_OPTIONS: HelmetOptions = {
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      defaultSrc: ["'self'"],
      imgSrc: ["'self'", 'data:', 'blob:'],
      styleSrc: ["'self'", "'unsafe-inline'"],
      objectSrc: ["'none'"],
      baseUri: ["'self'"],
      formAction: ["'self'"],
      frameAncestors: ["'self'"],
    },
  },
  // For browsers that nobody runs any more; each would be a line of every answer.
  xDnsPrefetchControl: false,
  xDownloadOptions: false,
  xPermittedCrossDomainPolicies: false,
  xXssProtection: false,
  originAgentCluster: false,
  // Images and documents of lots may be shown on other sites.
  crossOriginResourcePolicy: { policy: 'cross-origin' },
};

/** Name, value, … of what the middleware stack adds to an ordinary JSON answer. */
export const HOT_HEADERS: readonly string[] = collect();

function collect(): string[] {
  const headers: string[] = [];
  const response = {
    setHeader: (name: string, value: string | readonly string[]) => headers.push(name, String(value)),
    removeHeader: () => undefined,
  };
  // Helmet sets its headers before it first waits for anything.
  void helmet(HELMET_OPTIONS)({ req: {}, res: response } as unknown as Context, async () => undefined);
  headers.push(
    'Vary',
    'Origin, Accept-Encoding',
    'Access-Control-Allow-Origin',
    '*',
    'Access-Control-Expose-Headers',
    EXPOSED_HEADERS.join(','),
  );
  return headers;
}
