/**
 * The routes that simulcast platforms call: floor bids and sales, signed, one at a time or up to 500 in a body. The
 * answer goes out only after the journal has everything; a body that cannot be committed whole is 503 and may be sent
 * again.
 */
import { Type } from '@sinclair/typebox';
import { type Endpoint, endpoint, type HttpRequest, type Reply } from '../../../adapters/http/endpoint.ts';
import { success } from '../../../adapters/http/envelope.ts';
import { HostileItem, isStorable } from '../../../adapters/http/json.ts';
import { SchemaCompiler } from '../../../adapters/http/validate.ts';
import { ValidationErrors } from '../../../adapters/http/validation-errors.ts';
import { isSignedBy } from '../../../adapters/webhooks/simulcast-signature.ts';
import { isPlain } from '../../../engine/canonical.ts';
import { objectIn } from '../../../engine/objects.ts';
import { invalid, notFound, Refusal } from '../../shared/refusal.ts';
import type { NotAdmitted } from './admission.ts';
import { namedLot } from './floor-commands.ts';
import { type FloorParts, takeEvent, takeEvents } from './floor-events.ts';
import type { PlatformSecrets } from './platform-registry.ts';
import { FloorAnswer, FloorBid, FloorSale } from './simulcast.schema.ts';

export interface SimulcastParts extends FloorParts {
  readonly secrets: PlatformSecrets;
  readonly nowSeconds: () => number;
}

const MAX_EVENTS = 500;

const PARCELS_BIDS =
  ' Of parcels a bid names its lots in `lot_ids`: one that does not lead is `rejected` with `bid_not_leading` and ' +
  '`price_to_lead`, unless it is to be `standing`.';
const PARCELS_SALES =
  ' Lots of parcels are one sale: an event on any of them ends that of all. `sold` sells each set that leads to its ' +
  'own bidder at its bid; `hammer_price`, where it is there, must be what these come to together, and `bidder` says ' +
  'nothing. `passed` and `unsold` sell nothing.';

const PlatformParams = Type.Object({ platform: Type.String({ minLength: 1, maxLength: 60 }) });

export function simulcastEndpoints(parts: SimulcastParts): Endpoint[] {
  return [
    route(parts, 'bid', FloorBid, 'Floor, phone and absentee bids from a simulcast platform'),
    route(parts, 'sold', FloorSale, 'Results of lots from a simulcast platform: sold, passed or unsold'),
  ];
}

type EventSchema = typeof FloorBid | typeof FloorSale;
type FloorEvent = FloorBid | FloorSale;
type Checked =
  | { readonly event: FloorEvent }
  | { readonly eventId: string | null; readonly errors: FieldErrors };
type FieldErrors = Record<string, string[]>;

function route(parts: SimulcastParts, kind: 'bid' | 'sold', schema: EventSchema, summary: string): Endpoint {
  const check = checkerOf(schema);
  return endpoint({
    method: 'POST',
    path: `/webhooks/${kind}/{platform}`,
    operationId: kind === 'bid' ? 'receiveFloorBids' : 'receiveFloorSales',
    summary,
    description:
      'Signed: `X-Timestamp` in Unix seconds, `X-Signature: sha256=<hex>`, an HMAC-SHA256 over `timestamp ' +
      '+ "." + body`. A platform’s events apply to the auctions whose `simulcast_platforms` name it, ' +
      'and sales only to those of type `simulcast`. A `sku` alone must identify one live lot there. An array of ' +
      'up to 500 events is answered item by item, in order.' +
      (kind === 'bid' ? PARCELS_BIDS : PARCELS_SALES),
    tags: ['Inbound webhooks'],
    access: { kind: 'public' },
    rateLimit: false,
    hot: true,
    params: PlatformParams,
    body: eventsBody(schema),
    judgedList: '',
    codes: [
      'invalid_signature',
      'platform_not_allowed',
      'not_simulcast',
      'ambiguous_lot',
      'lot_already_sold',
      'invalid_transition',
      'overloaded',
      'journal_unavailable',
    ],
    responses: {
      200: {
        description: 'The result of the event, or of each event in order.',
        schema: Type.Object({
          success: Type.Literal(true),
          data: Type.Union([FloorAnswer, Type.Array(FloorAnswer)]),
        }),
      },
    },
    rawBody: true,
    verify: (request) => verifySignature(parts, request),
    handle: ({ params, body }) => answer(parts, params.platform, body, check),
  });
}

function verifySignature(parts: SimulcastParts, request: HttpRequest): void | Promise<void> {
  const secrets = parts.secrets.of(String(objectIn(request.params)['platform']));
  if (secrets instanceof Promise) return secrets.then((read) => requireSigned(parts, request, read));
  requireSigned(parts, request, secrets);
}

function requireSigned(
  parts: SimulcastParts,
  { headers, rawBody }: HttpRequest,
  secrets: readonly string[],
): void {
  if (secrets.length === 0) throw notFound('There is no such platform.');
  const timestamp = single(headers['x-timestamp']);
  const signature = single(headers['x-signature']);
  if (isSignedBy(secrets, { timestamp, signature, body: rawBody }, parts.nowSeconds())) return;
  throw new Refusal('invalid_signature');
}

function single(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' ? header : undefined;
}

function answer(
  parts: SimulcastParts,
  platform: string,
  body: unknown,
  check: (value: unknown) => Checked,
): Promise<Reply> {
  return Array.isArray(body)
    ? answerMany(parts, platform, body.map(check))
    : answerOne(parts, platform, check(body));
}

async function answerMany(
  parts: SimulcastParts,
  platform: string,
  checked: readonly Checked[],
): Promise<Reply> {
  const good = checked.flatMap((one) => ('event' in one ? [one.event] : []));
  const answers = (await takeEvents(parts, platform, good)).values();
  return success(
    checked.map((one) => ('event' in one ? (answers.next().value ?? unknownLot(one.event)) : malformed(one))),
  );
}

async function answerOne(parts: SimulcastParts, platform: string, checked: Checked): Promise<Reply> {
  if (!('event' in checked)) throw invalid(checked.errors);
  const found = await takeEvent(parts, platform, checked.event);
  if (found === null) throw invalid({ lot_id: ['There is no such lot.'] });
  if (found.code === 'validation_failed') throw invalid({ ...found.errors });
  if (isNotTaken(found.code)) throw new Refusal(found.code, { data: found });
  if (found.code === 'lot_already_sold') throw new Refusal('lot_already_sold', { data: found });
  if (found.code === 'invalid_transition') {
    const message = 'The auction has ended: the lot can no longer change.';
    throw new Refusal('invalid_transition', { message, data: { ...found, allowed: [] } });
  }
  return plainReply(found) ?? success(found);
}

/**
 * Most answers are a status and a sequence: printed by hand, and known to be ASCII where the platform's id is. Null for
 * others.
 */
function plainReply(answer: FloorAnswer): Reply | null {
  const { event_id: id, status, sequence, code, last_sequence, flags, errors } = answer;
  if (id === null || sequence === undefined || !isPlain(id)) return null;
  if ((code ?? last_sequence ?? flags ?? errors) !== undefined) return null;
  const raw = `{"success":true,"data":{"event_id":"${id}","status":"${status}","sequence":${sequence}}}`;
  return { status: 200, raw, rawIsAscii: true };
}

function isNotTaken(code: string | undefined): code is NotAdmitted | 'ambiguous_lot' {
  return code === 'platform_not_allowed' || code === 'not_simulcast' || code === 'ambiguous_lot';
}

function unknownLot(event: FloorEvent): FloorAnswer {
  return { event_id: event.event_id, status: 'rejected', code: 'unknown_lot' };
}

function malformed({
  eventId,
  errors,
}: {
  readonly eventId: string | null;
  readonly errors: FieldErrors;
}): FloorAnswer {
  return { event_id: eventId, status: 'rejected', code: 'validation_failed', errors };
}

/** One event or a list of them. What is wrong inside an event is reported by `checkerOf`, which names the field. */
function eventsBody(schema: EventSchema) {
  return Type.Unsafe<unknown>({
    anyOf: [
      { type: 'object', additionalProperties: true },
      {
        type: 'array',
        items: {},
        minItems: 1,
        maxItems: MAX_EVENTS,
        'x-message': `The body must be one event, or a list of 1 to ${MAX_EVENTS}; send longer lists in several requests.`,
      },
    ],
    examples: schema === FloorBid ? [BID_EXAMPLE, SET_EXAMPLE] : [SALE_EXAMPLE],
  });
}

const BID_EXAMPLE = {
  event_id: 'e-1',
  sequence: 17,
  lot_id: 123,
  amount: '1500.00',
  channel: 'floor',
  bidder: { paddle: '88', external_id: 'b-9' },
};

const SET_EXAMPLE = {
  event_id: 'e-3',
  sequence: 19,
  lot_ids: [123, 125],
  amount: '420000.00',
  bidder: { paddle: '88' },
};

const SALE_EXAMPLE = {
  event_id: 'e-2',
  sequence: 18,
  lot_id: 123,
  result: 'sold',
  hammer_price: '1500.00',
  bidder: { paddle: '88', external_id: 'b-9' },
};

/** Checks one event by its schema and by what no schema can say. */
function checkerOf(schema: EventSchema): (value: unknown) => Checked {
  const thorough = new SchemaCompiler().checkOf(schema, 'body');
  return (value) => {
    if (value instanceof HostileItem) return { eventId: eventIdIn(value.item), errors: value.errors };
    const errors = new ValidationErrors();
    if (thorough(value, errors)) {
      checkMeaning(value, errors);
      if (errors.isEmpty) return { event: value };
    }
    return { eventId: eventIdIn(value), errors: errors.toErrors() };
  };
}

/** The id of an event that is wrong, to name it by; null where it has none that can be repeated. */
function eventIdIn(value: unknown): string | null {
  const { event_id: eventId } = objectIn(value);
  return typeof eventId === 'string' && isStorable(eventId) ? eventId : null;
}

function checkMeaning(event: FloorEvent, errors: ValidationErrors): void {
  const inAuction = event.auction_id === undefined ? undefined : event.lot_number;
  const named = namedLot(event) ?? event.sku ?? inAuction;
  if (named === undefined)
    errors.add('lot_id', 'Name the lot: by lot_id, by auction_id and lot_number, or by sku.');
  if ('amount' in event) {
    if (Number(event.amount) === 0) errors.add('amount', 'The amount must be above 0.');
    if (!event.bidder.paddle && !event.bidder.external_id)
      errors.add('bidder', 'Name the bidder: by paddle or external_id.');
    return;
  }
  const sale: FloorSale = event;
  if (sale.choice !== undefined && sale.result !== 'sold')
    errors.add('choice', 'Only what is sold is chosen.');
}
