/**
 * Where this deployment's queues lie: one prefix for each environment, so that tests and a service may share one
 * Redis.
 */
import { type QueuePlace, queuePrefix } from '../../../adapters/queue/connection.ts';
import type { Config } from '../config/config.ts';

export function queuePlaceOf({ environment }: Pick<Config, 'environment'>, redisUrl: string): QueuePlace {
  return { redisUrl, prefix: queuePrefix(environment) };
}
