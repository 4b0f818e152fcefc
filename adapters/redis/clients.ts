/** Clients of one Redis server, and what all of them are opened with. */
import { RedisClient } from 'redis';

/**
 * The library's `createClient` makes a new class with every command for each client, which takes longer than to
 * connect.
 */
export const newClient = RedisClient.factory();

export type ServerClient = ReturnType<typeof newClient>;

export const RECONNECT_MS = 250;
export const CONNECT_TIMEOUT_MS = 2_000;

/**
 * The library's own timer for each command watches only what was not sent yet, and nothing waits to be sent for long
 * here; a timer and an error object for each command cost a twentieth of a bid. Who waits for an answer has a bound of
 * its own.
 */
export const UNTIMED = { timeout: 0 };
