/**
 * Who a Redis server is, by its replication ids: a restart gives it a new one, and a replica that takes over keeps its
 * former master's as its second.
 */
import type { OpenLink } from './link.ts';

export interface ServerIdentity {
  readonly isMaster: boolean;
  /** Names this run of the server: it gets another one whenever it is started, and whenever it takes over. */
  readonly runId: string;
  readonly id: string;
  /** Whose history it continues with since it took over; null: it never has since it started. */
  readonly previousId: string | null;
}

/** Whether a script may use keys of one hash slot only: so it is with a cluster's server, though it be alone. */
export async function isClustered(open: OpenLink): Promise<boolean> {
  const answers = await open.commandMasters(['INFO', 'server']);
  return answers.some((answer) => !/^redis_mode:(standalone|sentinel)/m.test(String(answer)));
}

/** Of every server that takes writes, or should. */
export async function readIdentities(open: OpenLink): Promise<ServerIdentity[]> {
  const answers = await open.commandMasters(['INFO', 'server', 'replication']);
  return answers.map(identityOf);
}

/** What one server says to `INFO server replication`. */
export function identityOf(answer: unknown): ServerIdentity {
  const text = String(answer);
  const field = (name: string) => new RegExp(`^${name}:(\\S+)`, 'm').exec(text)?.[1] ?? '';
  const secondId = field('master_replid2');
  const previousId = /^0*$/.test(secondId) ? null : secondId;
  const runId = field('run_id');
  return {
    isMaster: field('role') === 'master',
    // One that was a replica meanwhile has copied another, though it was never started again.
    runId: previousId === null ? runId : `${runId} after ${previousId}`,
    id: field('master_replid'),
    previousId,
  };
}

/** Whether each server was there at the last check, or has taken over from one that was. */
export function continuesFrom(
  servers: readonly string[] | null,
  identities: readonly ServerIdentity[],
): boolean {
  const isKnown = (id: string | null) => id !== null && (servers ?? []).includes(id);
  return identities.every(({ id, previousId }) => isKnown(id) || isKnown(previousId));
}

/** A server that only started again continues with its own disk; one that took over continues with another's. */
export function hasTakenOver(
  servers: readonly string[] | null,
  identities: readonly ServerIdentity[],
): boolean {
  if (servers === null) return false;
  return identities.some(({ id, previousId }) => previousId !== null && !servers.includes(id));
}

/** Whether these names are the same, in order. */
export function isSame(servers: readonly string[] | null, ids: readonly string[]): boolean {
  return servers !== null && servers.length === ids.length && servers.every((id, at) => id === ids[at]);
}
