/**
 * Endpoints that record what was done through them: every writing one that succeeded, by whom, for which team, from
 * where. New endpoints are recorded automatically; the exceptions, and why, are in one list.
 */
import type { Knex } from 'knex';
import type { Endpoint, HttpRequest, Principal, Reply } from '../../../adapters/http/endpoint.ts';
import { objectIn } from '../../../engine/objects.ts';
import type { Log } from '../../shared/log.ts';
import { type ActivityDetail, type NewActivity, recordActivity } from './activity.ts';

/**
 * Writing operations that leave no row of ours: `journal` and `own` say it themselves, `taste` is nobody's business.
 */
export const UNRECORDED: Readonly<Record<string, 'journal' | 'own' | 'taste'>> = {
  placeBid: 'journal',
  placeBidByLotId: 'journal',
  buyNow: 'journal',
  bidOnPage: 'journal',
  buyNowOnPage: 'journal',
  withdrawBid: 'journal',
  withdrawBidOnPage: 'journal',
  receiveFloorBids: 'journal',
  receiveFloorSales: 'journal',
  callBidInSaleroomOnPage: 'journal',
  fallHammerInSaleroomOnPage: 'journal',
  giveFairWarningOnPage: 'taste',
  nextLotInSaleroomOnPage: 'taste',
  chooseTeamOnPage: 'taste',
  signIn: 'own',
  signInCode: 'own',
  signOut: 'own',
  signUp: 'own',
  prove: 'own',
  forgotPassword: 'own',
  resetPassword: 'own',
  signInWithPasskey: 'own',
  signInSecondPasskey: 'own',
  proveWithPasskey: 'own',
  confirmEmail: 'own',
  stopEmail: 'own',
  sandboxPay: 'own',
  watchLot: 'taste',
  unwatchLot: 'taste',
  watchOnPage: 'taste',
  readNotifications: 'taste',
  readNotificationsOnPage: 'taste',
  changeNotificationPreferences: 'taste',
  chooseNotificationsOnPage: 'taste',
  saveSearchOnPage: 'taste',
  removeSearchOnPage: 'taste',
  mailOptOut: 'taste',
};

/** What of a body may be kept: words about what was done, never what is secret. */
const KEPT_FIELDS = [
  'status',
  'role',
  'email',
  'name',
  'title',
  'plan',
  'reason',
  'bid_limit',
  'type',
] as const;
const MAX_CHARACTERS = 200;

export interface RecordingParts {
  readonly knex: Knex;
  readonly log: Pick<Log, 'error'>;
}

/** The same endpoints, with every success of those that write in the activity. */
export function recordingActivity(parts: RecordingParts, endpoints: readonly Endpoint[]): Endpoint[] {
  return endpoints.map((endpoint) => {
    if (endpoint.method === 'GET' || recordsItself(endpoint)) return endpoint;
    const handle: Endpoint['handle'] = async (request) => {
      const reply = await endpoint.handle(request);
      const activity = activityOf(endpoint, request, reply);
      if (activity !== null) {
        // What was done is done: a record that could not be written is logged for the operator, and the caller's
        // request succeeds.
        await recordActivity(parts.knex, activity).catch((err: unknown) =>
          parts.log.error({ err, action: activity.action }, 'activity was not recorded'),
        );
      }
      return reply;
    };
    return { ...endpoint, handle };
  });
}

/** Actions of the office write themselves down, with their reason, where what they change is written. */
function recordsItself({ operationId }: Endpoint): boolean {
  return Object.hasOwn(UNRECORDED, operationId) || operationId.endsWith('InOffice');
}

/** What an operation is called in the activity: `createTokenOnPage` is `create_token`. */
export function actionOf(operationId: string): string {
  return operationId
    .replace(/(OnPage|InOffice)$/, '')
    .replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function activityOf(endpoint: Endpoint, request: HttpRequest, reply: Reply): NewActivity | null {
  const who = request.principal ?? request.session?.principal ?? null;
  const signed = who === null && endpoint.verify !== undefined;
  if (!(who !== null || signed) || !hasHappened(reply)) return null;
  const sent = objectIn(request.body);
  const answered = objectIn(objectIn(reply.body)['data']);
  if (signed && answered['status'] !== 'applied') return null;
  return {
    action: actionOf(endpoint.operationId),
    via: who === null ? 'signature' : who.via === 'token' ? 'token' : 'page',
    userId: who?.userId ?? null,
    tokenId: who?.tokenId ?? null,
    teamId: who === null ? null : teamOf(endpoint, request, who, sent),
    ip: request.ip,
    detail: {
      ...scalars(sent, KEPT_FIELDS),
      ...scalars(answered, ['id', 'sequence', 'invoice_number']),
      ...numbersIn(objectIn(request.params)),
    },
  };
}

/** A page that sends its visitor to sign in or to prove who they are has done nothing yet. */
function hasHappened({ status, headers }: Reply): boolean {
  if (status >= 400) return false;
  return !/^\/(sign-in|account\/prove)\b/.test(String(headers?.['Location'] ?? ''));
}

/** Ids of a path; what is text there may be a one-time token. */
function numbersIn(params: Readonly<Record<string, unknown>>): ActivityDetail {
  const kept: Record<string, number> = {};
  for (const [name, value] of Object.entries(params)) if (typeof value === 'number') kept[name] = value;
  return kept;
}

/** The team that the request acted for, as far as the request itself names it. */
function teamOf(
  { access, path }: Endpoint,
  request: HttpRequest,
  { teamIds, currentTeamId }: Principal,
  sent: Readonly<Record<string, unknown>>,
): number | null {
  const named = request.headers['x-team-id'] ?? objectIn(request.params)['team'] ?? sent['team'];
  const teamId = Number(named);
  if (named !== undefined && teamIds.includes(teamId)) return teamId;
  const isSellers =
    (access.kind === 'ability' && access.ability === 'seller') || /^(\/api\/v1)?\/seller\b/.test(path);
  return isSellers ? (currentTeamId ?? teamIds[0] ?? null) : null;
}

function scalars(from: Readonly<Record<string, unknown>>, keys: readonly string[]): ActivityDetail {
  const kept: Record<string, string | number | boolean> = {};
  for (const key of keys) {
    const value = from[key];
    if (typeof value === 'number' || typeof value === 'boolean') kept[key] = value;
    if (typeof value === 'string') kept[key] = value.slice(0, MAX_CHARACTERS);
  }
  return kept;
}
