/**
 * Distinguishes an error that means "Redis is unavailable" from one that means a bug, where Redis is used for something
 * other than the journal (whose adapter has its own fault for it). The HTTP side calls it before it answers 500.
 */
import {
  ClientClosedError,
  ClientOfflineError,
  ConnectionTimeoutError,
  DisconnectsClientError,
  ErrorReply,
  RootNodesUnavailableError,
  SocketClosedUnexpectedlyError,
  SocketTimeoutError,
  TimeoutError,
} from 'redis';

const FAULTS = [
  ClientClosedError,
  ClientOfflineError,
  ConnectionTimeoutError,
  DisconnectsClientError,
  RootNodesUnavailableError,
  SocketClosedUnexpectedlyError,
  SocketTimeoutError,
  TimeoutError,
];

/** A server that is still reading its data, lost its masters, cannot write or is held up by a script. */
const NOT_READY = /^(LOADING|BUSY|NOREPLICAS|CLUSTERDOWN|MASTERDOWN|TRYAGAIN|MISCONF|OOM|READONLY)\b/;

/** Whether the error says that Redis is unavailable. */
export function isRedisUnavailable(error: unknown): boolean {
  if (FAULTS.some((fault) => error instanceof fault)) return true;
  return error instanceof ErrorReply && NOT_READY.test(error.message);
}
