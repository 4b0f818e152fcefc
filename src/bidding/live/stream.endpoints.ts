/**
 * `GET /lots/{lot}/stream`: a lot as server-sent events. A client that returns with `Last-Event-ID` continues where
 * it was, on any process, without a gap or a repeat and however long it was unavailable; one that reads slowly gets
 * everything at its own pace.
 */
import { Type } from '@sinclair/typebox';
import { type Endpoint, endpoint, type Reply } from '../../../adapters/http/endpoint.ts';
import { rateKey } from '../../../adapters/http/rate-limit.ts';
import { NO_LOT, shownHead } from '../../../engine/formats/formats.ts';
import { isoFromUs } from '../../../engine/time.ts';
import { LotParams } from '../../shared/lot-params.ts';
import { invalid, notFound, Refusal } from '../../shared/refusal.ts';
import { findVisibleLot } from '../../shared/visibility/read-visibility.ts';
import type { AccessWatch } from './access-watch.ts';
import type { Announcements } from './announcements.ts';
import { CatchUp } from './catch-up.ts';
import { ClientStream } from './client-stream.ts';
import type { LiveLots } from './live-lots.ts';
import { type ChannelParts, isFinished, NoJournalYet } from './lot-channel.ts';
import { closeOf, formatEvent, readPosition, type StreamPosition, streamReply } from './stream-events.ts';

const TICK_MS = 15_000;
const NO_JOURNAL_LOOK_MS = 2_000;

export interface StreamParts extends ChannelParts {
  readonly live: LiveLots;
  readonly access: AccessWatch;
  readonly announcements: Pick<Announcements, 'follow'>;
  /** Takes one of a caller's streams: gives what ends it, or null where they have as many as they may. */
  readonly takeStream: (caller: string) => Promise<(() => void) | null>;
  readonly nowUs: () => number;
}

export function streamEndpoints(parts: StreamParts): Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      path: '/api/v1/lots/{lot}/stream',
      operationId: 'streamLot',
      summary: 'Follow a lot live, as server-sent events',
      description:
        'Events: `lot.snapshot` (first, and after a change that has no event of its own), `bid.placed`, ' +
        '`lot.extended`, `lot.closed`, and a `tick` every 15 seconds. Of a lot that is over: `lot.snapshot` and ' +
        '`lot.closed`, then it ends. Ids are sequences of the lot’s journal. The selling team follows its drafts ' +
        'too: nothing moves, and the stream ends once they are published. The caller’s own bids have `is_mine` ' +
        'true and their `max_amount`. In a saleroom `lot.fair_warning` (without an id) says that the hammer is ' +
        'about to fall. A caller (the user, or the address without one) follows at most 50 at once, and a stream ' +
        'ends within five seconds once its caller may not see the lot any more.',
      tags: ['Bidding'],
      access: { kind: 'public', session: 'optional' },
      params: LotParams,
      query: Type.Object({
        last_event_id: Type.Optional(
          Type.String({
            maxLength: 20,
            description: 'As `Last-Event-ID`, which wins: for clients that cannot send headers.',
          }),
        ),
      }),
      headers: Type.Object({
        'last-event-id': Type.Optional(
          Type.String({ description: 'Continue after this event, without a first snapshot.' }),
        ),
      }),
      responses: {
        200: { description: 'The stream.', schema: Type.String(), contentType: 'text/event-stream' },
        204: { description: 'The lot has closed and the client already has that event: do not reconnect.' },
      },
      codes: ['overloaded', 'journal_unavailable'],
      async handle({ params, query, principal, headers, signal, ip }) {
        const auctionId = await findVisibleLot(parts.knex, params.lot, principal);
        if (auctionId === null) throw notFound('There is no such lot.');
        const position = positionOf(String(headers['last-event-id'] || query.last_event_id || ''));
        const follower = {
          lotId: params.lot,
          userId: principal?.userId ?? null,
          tokenId: principal?.tokenId ?? null,
        };
        const leave = await parts.takeStream(rateKey(follower.userId, ip));
        if (leave === null) throw tooManyStreams();
        const stream = new ClientStream(parts, follower.userId);
        stream.whenGone(leave);
        stream.whenGone(parts.access.watch(follower, () => stream.end()));
        signal.addEventListener('abort', () => stream.source.destroy(), { once: true });
        if (signal.aborted) stream.source.destroy();
        try {
          return await follow(parts, stream, { auctionId, lotId: params.lot }, position);
        } catch (error) {
          if (error instanceof NoJournalYet) return wait(parts, stream, { auctionId, lotId: params.lot });
          stream.source.destroy();
          throw error;
        }
      },
    }),
  ];
}

/** At once, over all lots and processes. */
export const MAX_STREAMS_PER_CALLER = 50;

export function tooManyStreams(): Refusal {
  return new Refusal('rate_limited', {
    message: `You already follow ${MAX_STREAMS_PER_CALLER} lots live: close one of these streams first.`,
    retryAfterS: 5,
  });
}

/** Undefined: the client has no events yet. */
function positionOf(lastId: string): StreamPosition | undefined {
  if (lastId === '') return undefined;
  const position = readPosition(lastId);
  if (position !== null) return position;
  throw invalid({ last_event_id: ['The Last-Event-ID must be an id of this stream.'] });
}

interface LotIds {
  readonly auctionId: number;
  readonly lotId: number;
}

const tickOf = ({ nowUs }: StreamParts) => formatEvent(null, 'tick', { server_time: isoFromUs(nowUs()) });

/** A stream on which nothing moves, until the lot has a journal: a client that comes back then follows that. */
function wait(parts: StreamParts, stream: ClientStream, { auctionId, lotId }: LotIds): Reply {
  stream.begin([], () => NO_LOT);
  stream.source.push(tickOf(parts));
  const tick = setInterval(() => stream.write(tickOf(parts)), TICK_MS);
  const look = setInterval(async () => {
    const has = await parts.readState(auctionId, lotId).catch(() => null);
    if (has !== null) stream.end();
  }, NO_JOURNAL_LOOK_MS);
  stream.whenGone(() => {
    clearInterval(tick);
    clearInterval(look);
  });
  return streamReply(stream.source);
}

async function follow(
  parts: StreamParts,
  stream: ClientStream,
  { auctionId, lotId }: LotIds,
  position: StreamPosition | undefined,
): Promise<Reply> {
  const { head, state, leave } = await parts.live.join(auctionId, lotId, stream.take);
  const tick = setInterval(() => stream.write(tickOf(parts)), TICK_MS);
  const unfollow = parts.announcements.follow(lotId, (text) => stream.write(text));
  stream.whenGone(() => {
    clearInterval(tick);
    unfollow();
    leave();
  });
  // A position that this journal has not reached is not one of this lot: start with a snapshot, unless nothing can
  // come.
  const { sequence } = shownHead(head);
  const resumes = position !== undefined && position.sequence <= sequence;
  if (position !== undefined && !resumes && isFinished(head)) {
    stream.source.destroy();
    return { status: 204 };
  }
  if (resumes) {
    const catchUp = new CatchUp(parts, position);
    const first = await catchUp.next(head);
    if (first.length === 0 && isFinished(head) && catchUp.hasReached(head)) {
      stream.source.destroy();
      return { status: 204 };
    }
    stream.resume(first, catchUp, position, state);
  } else {
    const id = String(sequence);
    const text = formatEvent(id, 'lot.snapshot', await parts.present(head)) + (closeOf(head) ?? '');
    stream.begin([{ id, text, last: isFinished(head) }], state);
  }
  return streamReply(stream.source);
}
