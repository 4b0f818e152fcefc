/**
 * `GET /lots/{lot}/stream`: a lot as server-sent events. A client that comes back with `Last-Event-ID` goes on where it was,
 * on any process, without a gap or a repeat; one that cannot keep up is cut off and may come back.
 */
import { Readable } from 'node:stream';
import { Type } from '@sinclair/typebox';
import { type Endpoint, endpoint, type Reply } from '../../../adapters/http/endpoint.ts';
import { invalid, notFound } from '../../../adapters/http/problem.ts';
import { isoFromUs } from '../../../engine/time.ts';
import { LotParams } from '../../shared/lot-params.ts';
import { findVisibleLot } from '../../shared/visibility/read-visibility.ts';
import { faultOf } from '../refusals.ts';
import { missedEvents } from './catch-up.ts';
import type { LiveLots } from './live-lots.ts';
import { type ChannelParts, isFinished, type Printed } from './lot-channel.ts';
import { printEvent, readPosition, type StreamPosition } from './stream-events.ts';

const TICK_MS = 15_000;
const MOST_BUFFERED_BYTES = 1_000_000;

export interface StreamParts extends ChannelParts {
  readonly live: LiveLots;
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
        'Events: `lot.snapshot` (first, and after a change that has no event of its own), `bid.placed`, `lot.extended`, `lot.closed`, and a `tick` every 15 seconds. Ids are sequences of the lot’s journal.',
      tags: ['Bidding'],
      access: { kind: 'public' },
      params: LotParams,
      headers: Type.Object({
        'last-event-id': Type.Optional(
          Type.String({ description: 'Go on after this event, without a first snapshot.' }),
        ),
      }),
      responses: {
        200: { description: 'The stream.', schema: Type.String(), contentType: 'text/event-stream' },
        204: { description: 'The lot has closed, and the caller has heard of it: do not come back.' },
      },
      codes: ['overloaded', 'journal_unavailable'],
      async handle({ params, principal, headers, signal }) {
        const auctionId = await findVisibleLot(parts.knex, params.lot, principal);
        if (auctionId === null) throw notFound('There is no such lot.');
        const lastId = headers['last-event-id'];
        const position = typeof lastId === 'string' && lastId !== '' ? readPosition(lastId) : undefined;
        if (position === null)
          throw invalid({ last_event_id: ['The Last-Event-ID must be an id of this stream.'] });
        try {
          return await follow(parts, auctionId, params.lot, position, signal);
        } catch (error) {
          throw faultOf(error);
        }
      },
    }),
  ];
}

async function follow(
  parts: StreamParts,
  auctionId: number,
  lotId: number,
  position: StreamPosition | undefined,
  signal: AbortSignal,
): Promise<Reply> {
  const stream = new ClientStream();
  const { head, leave } = await parts.live.join(auctionId, lotId, stream.take);
  const tick = setInterval(
    () => stream.write(printEvent(null, 'tick', { server_time: isoFromUs(parts.nowUs()) })),
    TICK_MS,
  );
  stream.whenGone(() => {
    clearInterval(tick);
    leave();
  });
  signal.addEventListener('abort', () => stream.source.destroy(), { once: true });
  try {
    // A position that this journal has not reached is not one of this lot: start with a snapshot, unless nothing can come.
    const resumes = position !== undefined && position.sequence <= head.sequence;
    if (position !== undefined && !resumes && isFinished(head)) {
      stream.source.destroy();
      return { status: 204 };
    }
    const first = resumes
      ? await missedEvents(parts, head, position)
      : [
          {
            id: String(head.sequence),
            text: printEvent(String(head.sequence), 'lot.snapshot', await parts.present(head)),
            last: isFinished(head),
          },
        ];
    if (resumes && first.length === 0 && isFinished(head)) {
      stream.source.destroy();
      return { status: 204 };
    }
    stream.begin(first);
    return {
      status: 200,
      raw: stream.source,
      contentType: 'text/event-stream; charset=utf-8',
      headers: STREAM_HEADERS,
    };
  } catch (error) {
    stream.source.destroy();
    throw error;
  }
}

const STREAM_HEADERS = { 'Cache-Control': 'no-cache, no-transform', 'X-Accel-Buffering': 'no' };

/** One client: holds back what comes while it is being brought up to date, and gives up on one that does not read. */
class ClientStream {
  readonly source = new Readable({ read: () => {} });
  #held: Printed[] | null = [];
  #ended = false;

  readonly take = (printed: Printed): void => {
    if (this.#held !== null) this.#held.push(printed);
    else this.#send(printed);
  };

  begin(first: readonly Printed[]): void {
    const held = this.#held ?? [];
    this.#held = null;
    for (const printed of [...first, ...held]) this.#send(printed);
  }

  write(text: string): void {
    if (this.#ended || this.#held !== null || this.source.destroyed) return;
    this.source.push(text);
    if (this.source.readableLength > MOST_BUFFERED_BYTES) this.source.destroy();
  }

  whenGone(done: () => void): void {
    this.source.once('close', done);
  }

  #send({ text, last }: Printed): void {
    this.write(text);
    if (!last || this.#ended) return;
    this.#ended = true;
    this.source.push(null);
  }
}
