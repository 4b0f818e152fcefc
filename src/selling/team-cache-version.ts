/**
 * The version of each team's cached data: it grows with every change that its members make, over all processes. Caches
 * compare their entries with this version, so that sellers see their own changes at once, whichever process they reach
 * next.
 */
import pTimeout from 'p-timeout';
import type { Endpoint, Reply } from '../../adapters/http/endpoint.ts';
import type { RedisLink } from '../../adapters/redis/link.ts';

type VersionLink = Pick<RedisLink, 'hGet' | 'hIncrBy'>;

const KEY = 'teams:cache-versions';
/** A Redis that hangs is unavailable. */
const TIMEOUT_MS = 500;

export class TeamCacheVersions {
  readonly #link: VersionLink;

  constructor(link: VersionLink) {
    this.#link = link;
  }

  /** The team's version now, or null where it cannot be known. Never throws. */
  read(teamId: number): Promise<string | null> {
    return bounded(this.#link.hGet(KEY, String(teamId)).then((version) => version ?? '0'));
  }

  /** Announces a change to data of these teams. Never throws: while Redis is unavailable nothing is cached either. */
  async changed(teamIds: readonly number[]): Promise<void> {
    await Promise.all(teamIds.map((teamId) => bounded(this.#link.hIncrBy(KEY, String(teamId), 1))));
  }
}

/**
 * The same endpoints; those that change something say so for the caller's teams before they answer, even if they
 * failed half-way.
 */
export function versioningChanges(versions: TeamCacheVersions, endpoints: readonly Endpoint[]): Endpoint[] {
  return endpoints.map((endpoint) => {
    if (endpoint.method === 'GET') return endpoint;
    const handle: Endpoint['handle'] = async (request): Promise<Reply> => {
      try {
        return await endpoint.handle(request);
      } finally {
        await versions.changed(request.principal?.teamIds ?? []);
      }
    };
    return { ...endpoint, handle };
  });
}

function bounded<T>(version: Promise<T>): Promise<T | null> {
  return pTimeout(version, { milliseconds: TIMEOUT_MS }).catch(() => null);
}
