/**
 * Where this deployment's queues lie: one prefix for each environment, so that tests and a service may share one
 * Redis.
 */
import { type QueueAddress, queuePrefix } from '../../../adapters/queue/connection.ts';
import { clientBySentinels } from '../../../adapters/redis/following-client.ts';
import { readRedisAddress } from '../../../adapters/redis/redis-address.ts';
import { RETRY_QUEUE } from '../../webhooks/retry-jobs.ts';
import type { Config } from '../config/config.ts';

export const SCHEDULED_JOBS_QUEUE = 'clock';
export const MAIL_QUEUE = 'mail';
export const MEDIA_QUEUE = 'media';
export const PAPER_QUEUE = 'papers';

/** Every queue there is. */
export const QUEUES = [SCHEDULED_JOBS_QUEUE, RETRY_QUEUE, MAIL_QUEUE, MEDIA_QUEUE, PAPER_QUEUE];

export function queueAddressOf({ environment }: Pick<Config, 'environment'>, redisUrl: string): QueueAddress {
  const address = readRedisAddress(redisUrl);
  const prefix = queuePrefix(environment);
  if (address.kind !== 'sentinel') return { redisUrl, prefix };
  return { redisUrl, prefix, newClient: () => clientBySentinels(address) };
}
