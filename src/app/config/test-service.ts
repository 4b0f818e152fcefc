/**
 * The test service: another service of the same program with a Postgres and a Redis of its own, on which test tokens
 * act. `TEST_SERVICE_URL` says where it is; the secret, which both have, lets its front in and nobody else. A service
 * that has the secret alone is the test service itself.
 */
import type { EnvironmentReader } from './environment-reader.ts';

export type TestService =
  | { readonly kind: 'none' }
  | { readonly kind: 'front'; readonly url: string; readonly secret: string }
  | { readonly kind: 'itself'; readonly secret: string };

/** Throws `ConfigError` for an address without the secret. */
export function readTestService(read: EnvironmentReader): TestService {
  const url = read.address('TEST_SERVICE_URL', ['http:', 'https:'], 'http://127.0.0.1:8090');
  const secret = read.text('TEST_SERVICE_SECRET');
  if (secret !== null && !/^[\w~+/=-]+$/.test(secret))
    read.failHidden('TEST_SERVICE_SECRET', 'something else', 'letters, digits and _ ~ + / = -');
  if (url === null) return secret === null ? { kind: 'none' } : { kind: 'itself', secret };
  if (secret === null)
    return read.failHidden('TEST_SERVICE_SECRET', 'nothing', 'the secret of the service at TEST_SERVICE_URL');
  return { kind: 'front', url, secret };
}
