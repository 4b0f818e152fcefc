/** `/seller/auctions/new` and `/seller/auctions/{id}/edit`: an auction's form. */
import { Type } from '@sinclair/typebox';
import { type Endpoint, endpoint, type Reply } from '../../../../adapters/http/endpoint.ts';
import { objectIn } from '../../../../engine/objects.ts';
import { Id } from '../../../shared/fields.schema.ts';
import { judge } from '../../../shared/policy/policy.ts';
import { TEAM_POLICY } from '../../../shared/policy/team-policy.ts';
import { languageOf, PAGE } from '../../page.ts';
import { zoneOf } from '../../shown-text.ts';
import { changeResource, idIn, type Refusal, submit, TextForm, textsIn } from '../forms/desk-form.ts';
import { formView } from '../forms/form-fields.ts';
import { bodyOf, type FormTexts, marksOf, readMarks, textsOf } from '../forms/form-values.ts';
import { knownZone } from '../forms/local-times.ts';
import { auctionAt, type Desk, type SellersAuction, shownFor, type Visit } from '../frame/desk.ts';
import { auctionFormOptions, auctionSchema, newAuctionTexts } from './auction-form.ts';
import { endsPicture } from './ends-picture.ts';
import { newestAuctions, presetsOf, textsLike, textsOfPreset, without } from './sale-beginnings.ts';

const Params = Type.Object({ id: Id });

export function auctionEditPages(desk: Desk): Endpoint[] {
  return [newPage(desk), create(desk), editPage(desk), save(desk)];
}

/** Asks for the picture of the ends without saving anything. */
const REDRAW = { value: 'ends', label: 'Show how the lots will end' };
/** Asks for the fields of the way to sell that is chosen, and for those no more that it has no use for. */
const FIELDS = { value: 'fields', label: 'Show the fields of this way to sell', fieldsOf: 'format type' };

const isRedrawn = ({ step }: FormTexts) => step === REDRAW.value || step === FIELDS.value;

/** The form as it is filled in, its picture drawn anew; for a script the picture alone. */
function redrawn(
  desk: Desk,
  visit: Visit,
  auction: SellersAuction | null,
  texts: FormTexts,
): Reply | Promise<Reply> {
  const ends = endsPicture(auctionSchema(desk, auction === null, texts['format'], texts['type']), texts);
  if (texts['step'] === FIELDS.value || visit.request.headers['x-fragment'] !== 'ends' || ends === null)
    return draw(desk, visit, auction, { texts, marks: texts['_marks'] });
  return desk.html(visit, { title: 'Ends', template: 'seller/auctions/ends-picture', data: { ends } });
}

interface FilledForm {
  readonly texts: FormTexts;
  /** What `marksOf` wrote when it was filled from an auction that is there. */
  readonly marks?: string | undefined;
  readonly refused?: Refusal;
}

/** The form, for a new auction or for one that is there. */
async function draw(
  desk: Desk,
  visit: Visit,
  auction: SellersAuction | null,
  { texts, marks = '', refused }: FilledForm,
): Promise<Reply> {
  const schema = auctionSchema(desk, auction === null, texts['format'], texts['type']);
  const ends = endsPicture(schema, texts);
  const options = await auctionFormOptions(
    desk.knex,
    knownZone(texts['timezone']),
    texts['currency'] ?? 'usd',
    languageOf(visit.request),
    ends && { template: '/seller/auctions/ends-picture', data: { ends } },
  );
  return desk.html(visit, {
    title: auction === null ? 'New auction' : ['Change {0}', auction.title],
    template: 'seller/auctions/edit',
    status: refused?.status ?? 200,
    data: {
      auction,
      earlier: auction === null ? await newestAuctions(desk, visit.team.id) : [],
      presets: auction === null ? await presetsOf(visit) : [],
      mayDeletePresets: judge(TEAM_POLICY, 'delete_preset', 'shared', visit.team.role) === 'allowed',
      steps: ends === null ? [FIELDS] : [REDRAW, FIELDS],
      marks,
      form: formView(schema, texts, { ...options, language: languageOf(visit.request) }, refused?.errors),
      action: auction === null ? '/seller/auctions' : `/seller/auctions/${auction.id}/edit`,
      modules: ['seller-desk.js', 'ends-picture.js'],
    },
  });
}

function newPage(desk: Desk): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'GET',
    path: '/seller/auctions/new',
    operationId: 'newSellerAuctionPage',
    summary: 'The form of a new auction, empty or like an earlier one',
    query: Type.Object({ like: Type.Optional(Id), preset: Type.Optional(Id) }),
    handle: (request) =>
      desk.at(request, async (visit) => {
        const { like, preset } = request.query;
        const empty = newAuctionTexts(zoneOf(request.headers.cookie), languageOf(request));
        const begun =
          preset === undefined
            ? like === undefined
              ? {}
              : await textsLike(desk, visit, like)
            : await textsOfPreset(desk, visit, preset);
        const texts = { ...empty, ...begun };
        return draw(desk, visit, null, { texts });
      }),
  });
}

function create(desk: Desk): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'POST',
    path: '/seller/auctions',
    operationId: 'createSellerAuctionOnPage',
    summary: 'Creates an auction',
    body: { form: TextForm },
    handle: (request) =>
      desk.at(request, async (visit) => {
        const texts = textsIn(request.body);
        if (isRedrawn(texts)) return redrawn(desk, visit, null, texts);
        const zone = knownZone(texts['timezone']);
        const body = bodyOf(auctionSchema(desk, true, texts['format'], texts['type']), texts, {
          marks: null,
          ...shownFor(request, zone),
        });
        return submit(
          desk,
          () => visit.perform('createSellerAuction', { body }),
          (refused) => draw(desk, visit, null, { texts, refused }),
          (data) => `/seller/auctions/${idIn(data)}?done=created`,
        );
      }),
  });
}

function editPage(desk: Desk): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'GET',
    path: '/seller/auctions/{id}/edit',
    operationId: 'editSellerAuctionPage',
    summary: 'The form of an auction',
    params: Params,
    handle: (request) =>
      desk.at(request, async (visit) => {
        const auction = await auctionAt(visit, request.params.id);
        const { format, type } = auction;
        const texts = textsOf(
          auctionSchema(desk, false, format, type),
          objectIn(auction),
          shownFor(request, knownZone(auction.timezone)),
        );
        return draw(desk, visit, auction, { texts, marks: marksOf(texts) });
      }),
  });
}

function save(desk: Desk): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'POST',
    path: '/seller/auctions/{id}/edit',
    operationId: 'changeSellerAuctionOnPage',
    summary: 'Changes an auction',
    params: Params,
    body: { form: TextForm },
    handle: (request) =>
      desk.at(request, async (visit) => {
        const { id } = request.params;
        const auction = await auctionAt(visit, id);
        const texts = textsIn(request.body);
        if (isRedrawn(texts)) return redrawn(desk, visit, auction, texts);
        const marks = readMarks(texts['_marks']);
        const zone = knownZone(texts['timezone']);
        // Another zone moves what its clocks say.
        const moved =
          marks['timezone'] === texts['timezone'] ? marks : without(marks, 'start_time', 'end_time');
        const body = bodyOf(auctionSchema(desk, false, texts['format'], texts['type']), texts, {
          marks: moved,
          ...shownFor(request, zone),
        });
        return submit(
          desk,
          () => changeResource(visit, 'changeSellerAuction', id, body),
          (refused) => draw(desk, visit, auction, { texts, marks: texts['_marks'], refused }),
          () => `/seller/auctions/${id}?done=saved`,
        );
      }),
  });
}
