/**
 * `GET /lots/{lot}/stream`: a lot as server-sent events. A client that returns with `Last-Event-ID` continues where
 * it was, on any process, without a gap or a repeat and however long it was unavailable; one that reads slowly gets
 * everything at its own pace.
 */
import { Type } from '@sinclair/typebox';
import { type Endpoint, endpoint, type Reply } from '../../../adapters/http/endpoint.ts';
import { rateKey } from '../../../adapters/http/rate-limit.ts';
import { isoFromUs } from '../../../engine/time.ts';
import { LotParams } from '../../shared/lot-params.ts';
import { invalid, notFound, Refusal } from '../../shared/refusal.ts';
import { findVisibleLot } from '../../shared/visibility/read-visibility.ts';
import type { AccessWatch } from './access-watch.ts';
import type { Announcements } from './announcements.ts';
import { CatchUp } from './catch-up.ts';
import { ClientStream } from './client-stream.ts';
import type { LiveLots } from './live-lots.ts';
import { type ChannelParts, isFinished } from './lot-channel.ts';
import { formatEvent, readPosition, type StreamPosition, streamReply } from './stream-events.ts';

const TICK_MS = 15_000;

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
        '`lot.extended`, `lot.closed`, and a `tick` every 15 seconds. Ids are sequences of the lot’s ' +
        'journal. The caller’s own bids have `is_mine` true and their `max_amount`. In a saleroom ' +
        '`lot.fair_warning` (without an id) says that the hammer is about to fall. A caller (the user, or ' +
        'the address without one) follows at most 50 at once, and a stream ends within five seconds once ' +
        'its caller may not see the lot any more.',
      tags: ['Bidding'],
      access: { kind: 'public', session: 'optional' },
      params: LotParams,
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
      async handle({ params, principal, headers, signal, ip }) {
        const auctionId = await findVisibleLot(parts.knex, params.lot, principal);
        if (auctionId === null) throw notFound('There is no such lot.');
        const lastId = headers['last-event-id'];
        const position = typeof lastId === 'string' && lastId !== '' ? readPosition(lastId) : undefined;
        if (position === null)
          throw invalid({ last_event_id: ['The Last-Event-ID must be an id of this stream.'] });
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

async function follow(
  parts: StreamParts,
  stream: ClientStream,
  { auctionId, lotId }: { readonly auctionId: number; readonly lotId: number },
  position: StreamPosition | undefined,
): Promise<Reply> {
  const { head, state, leave } = await parts.live.join(auctionId, lotId, stream.take);
  const tick = setInterval(
    () => stream.write(formatEvent(null, 'tick', { server_time: isoFromUs(parts.nowUs()) })),
    TICK_MS,
  );
  const unfollow = parts.announcements.follow(lotId, (text) => stream.write(text));
  stream.whenGone(() => {
    clearInterval(tick);
    unfollow();
    leave();
  });
  // A position that this journal has not reached is not one of this lot: start with a snapshot, unless nothing can
  // come.
  const resumes = position !== undefined && position.sequence <= head.sequence;
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
    const id = String(head.sequence);
    const text = formatEvent(id, 'lot.snapshot', await parts.present(head));
    stream.begin([{ id, text, last: isFinished(head) }], state);
  }
  return streamReply(stream.source);
}
