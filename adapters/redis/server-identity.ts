/**
 * Who a Redis server is, by its replication ids: a restart gives it a new one, and a replica that takes over keeps its
 * former master's as its second.
 */
import type { OpenLink } from './link.ts';

export interface ServerIdentity {
  readonly isMaster: boolean;
  /** Names this run of the server: it gets another one whenever it is started. */
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
  return answers.map((answer) => {
    const text = String(answer);
    const field = (name: string) => new RegExp(`^${name}:(\\S+)`, 'm').exec(text)?.[1] ?? '';
    const previousId = field('master_replid2');
    return {
      isMaster: field('role') === 'master',
      runId: field('run_id'),
      id: field('master_replid'),
      previousId: /^0*$/.test(previousId) ? null : previousId,
    };
  });
}
