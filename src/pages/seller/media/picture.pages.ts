/** `/seller/media/{id}`: a picture is turned by quarters and cropped, with and without a script. */
import { Type } from '@sinclair/typebox';
import { type Endpoint, endpoint, type Reply } from '../../../../adapters/http/endpoint.ts';
import type { PictureEdit } from '../../../catalog/media.model.ts';
import { Id, oneOf } from '../../../shared/fields.schema.ts';
import { notFound, sentencesOf } from '../../../shared/refusal.ts';
import { PAGE } from '../../page.ts';
import { attempt } from '../forms/desk-form.ts';
import type { Desk, Visit } from '../frame/desk.ts';

const PATH = '/seller/media/{media}';
const Params = Type.Object({ media: Id });
const SIDES = ['left', 'right', 'top', 'bottom'] as const;
const Percent = Type.String({ pattern: '^[0-9]{0,3}([.,][0-9]{1,4})?$' });

type Crop = NonNullable<PictureEdit['crop']>;
const WHOLE: Crop = { left: 0, top: 0, width: 1, height: 1 };

/** What the API answers of a picture. */
interface Edited {
  readonly media: Readonly<Record<string, unknown>>;
  readonly edit: PictureEdit;
}

export function pictureDeskPages(desk: Desk): Endpoint[] {
  return [show(desk), change(desk)];
}

async function pictureAt(visit: Visit, media: number): Promise<Edited> {
  const { data } = await visit.perform('getPictureEdit', { params: { media } });
  // Cast: what the API's own operation answers.
  return data as unknown as Edited;
}

/** The page of what the picture belongs to. */
async function ownerPath({ knex }: Desk, media: number): Promise<string> {
  const row = await knex('media').where('id', media).first('lot_id', 'kept_lot_id', 'auction_id');
  if (row === undefined) throw notFound('There is no such media.');
  const lotId = row.lot_id ?? row.kept_lot_id;
  return lotId === null ? `/seller/auctions/${row.auction_id}#media` : `/seller/lots/${lotId}#media`;
}

interface Drawn {
  readonly texts?: Readonly<Record<string, string>>;
  readonly status?: number;
  readonly notice?: { readonly kind: 'good' | 'bad'; readonly text: string } | null;
}

async function draw(desk: Desk, visit: Visit, media: number, drawn: Drawn = {}): Promise<Reply> {
  const { texts = {}, status = 200, notice = null } = drawn;
  const { media: picture, edit } = await pictureAt(visit, media);
  return desk.html(visit, {
    title: 'Turn and crop a picture',
    template: 'seller/media/picture',
    status,
    data: {
      ...{ picture, texts, notice, sides: SIDES, back: await ownerPath(desk, media) },
      isEdited: edit.turn !== 0 || edit.crop !== null,
      modules: ['picture-crop.js'],
    },
  });
}

function show(desk: Desk): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'GET',
    path: PATH,
    operationId: 'pictureDeskPage',
    summary: 'A picture to turn and crop',
    params: Params,
    query: Type.Object({ done: Type.Optional(Type.Literal('saved')) }),
    handle: (request) =>
      desk.at(request, (visit) => {
        const notice =
          request.query.done === undefined
            ? null
            : ({ kind: 'good', text: 'The picture is made anew.' } as const);
        return draw(desk, visit, request.params.media, { notice });
      }),
  });
}

function change(desk: Desk): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'POST',
    path: PATH,
    operationId: 'editPictureOnPage',
    summary: 'Turns or crops a picture, or takes it back to its original',
    params: Params,
    body: {
      form: Type.Object({
        action: oneOf(['turn_left', 'turn_right', 'crop', 'original']),
        next: Type.Optional(Type.Literal('owner')),
        ...Object.fromEntries(SIDES.map((side) => [side, Type.Optional(Percent)])),
      }),
    },
    handle: (request) =>
      desk.at(request, async (visit) => {
        const { media } = request.params;
        const { action, next, ...sides } = request.body;
        const texts = Object.fromEntries(Object.entries(sides).map(([side, text]) => [side, String(text)]));
        const { edit } = await pictureAt(visit, media);
        const body = editAfter(edit, action, texts);
        const tried = await attempt(desk, () => visit.perform('editPicture', { params: { media }, body }));
        if ('refused' in tried) {
          const notice = { kind: 'bad', text: sentencesOf(tried.refused) } as const;
          return draw(desk, visit, media, { texts, status: tried.refused.status, notice });
        }
        return desk.go(next === 'owner' ? await ownerPath(desk, media) : `/seller/media/${media}?done=saved`);
      }),
  });
}

/** The edit that makes of what is shown now what the button says. */
function editAfter(edit: PictureEdit, action: string, sides: Readonly<Record<string, string>>): PictureEdit {
  if (action === 'turn_right') return turned(edit);
  if (action === 'turn_left') return turned(turned(turned(edit)));
  if (action === 'original') return { turn: 0, crop: null };
  const cut = (side: string) => Number((sides[side] ?? '0').replace(',', '.') || '0') / 100;
  const had = edit.crop ?? WHOLE;
  const crop = rounded({
    left: had.left + had.width * cut('left'),
    top: had.top + had.height * cut('top'),
    width: had.width * (1 - cut('left') - cut('right')),
    height: had.height * (1 - cut('top') - cut('bottom')),
  });
  return { turn: edit.turn, crop: isWhole(crop) ? null : crop };
}

/** By a quarter clockwise: what is kept turns with it. */
function turned({ turn, crop }: PictureEdit): PictureEdit {
  const quarters = { 0: 90, 90: 180, 180: 270, 270: 0 } as const;
  if (crop === null) return { turn: quarters[turn], crop };
  const { left, top, width, height } = crop;
  return {
    turn: quarters[turn],
    crop: rounded({ left: 1 - top - height, top: left, width: height, height: width }),
  };
}

function rounded({ left, top, width, height }: Crop): Crop {
  const part = (value: number) => Math.min(1, Math.max(0, Math.round(value * 1e6) / 1e6));
  return { left: part(left), top: part(top), width: part(width), height: part(height) };
}

function isWhole({ left, top, width, height }: Crop): boolean {
  return left === 0 && top === 0 && width === 1 && height === 1;
}
