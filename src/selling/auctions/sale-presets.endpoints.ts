/** Presets of a team's sales by API. */
import { Type } from '@sinclair/typebox';
import type { Knex } from 'knex';
import { type Endpoint, endpoint, type SignedRequest } from '../../../adapters/http/endpoint.ts';
import { success } from '../../../adapters/http/envelope.ts';
import { present } from '../../../engine/first-of.ts';
import { roleIn } from '../../accounts/models/team-members.ts';
import { requireUnlocked } from '../../accounts/teams/team-context.ts';
import { keptTeam } from '../../accounts/teams/team-roles.ts';
import { Id, line, Time } from '../../shared/fields.schema.ts';
import { bodyOf } from '../../shared/paging/page.schema.ts';
import { notFound } from '../../shared/refusal.ts';
import { referencedAuction } from '../referenced-auction.ts';
import type { SalePreset } from './sale-preset.model.ts';
import { createSalePreset, deleteSalePreset, readSalePresets, settingsOf } from './sale-presets.ts';
import { presentSellerAuction, sellerAuctions } from './seller-auction-view.ts';

const Preset = Type.Object(
  {
    id: Type.Integer(),
    name: Type.String(),
    settings: Type.Record(Type.String(), Type.Unknown(), {
      description: 'Fields of `POST /api/v1/seller/auctions`; a title and times make them an auction.',
    }),
    created_at: Time,
  },
  { $id: 'SalePreset' },
);
const NewPreset = Type.Object(
  { name: line(100), auction_id: Id },
  { $id: 'NewSalePreset', additionalProperties: false, examples: [{ name: 'Land, online', auction_id: 12 }] },
);

const PATH = '/api/v1/teams/{team}/sale-presets';
const head = {
  tags: ['Teams'],
  access: { kind: 'ability', ability: 'seller' },
  codes: ['two_factor_required'],
} as const;
const Params = Type.Object({ team: Id });

export function salePresetEndpoints(knex: Knex): Endpoint[] {
  return [
    endpoint({
      ...head,
      method: 'GET',
      path: PATH,
      operationId: 'listSalePresets',
      summary: 'The presets of a team’s sales, by name',
      params: Params,
      responses: { 200: { description: 'All presets.', schema: bodyOf(Type.Array(Preset)) } },
      async handle({ params, principal }) {
        await requireMember(knex, params.team, principal);
        return success((await readSalePresets(knex, params.team)).map(shown));
      },
    }),
    endpoint({
      ...head,
      method: 'POST',
      path: PATH,
      operationId: 'createSalePreset',
      summary: 'Keep what an auction is set up with as a preset',
      description:
        'A copy of what one of the team’s auctions is set up with, but for its title, description, times, viewings ' +
        'and collections. A team has at most 50, each with a name of its own.',
      params: Params,
      body: NewPreset,
      notFound: true,
      responses: { 201: { description: 'The preset.', schema: bodyOf(Preset) } },
      async handle({ params, principal, body }) {
        await requireMember(knex, params.team, principal);
        const { id } = await referencedAuction(knex, params.team, body.auction_id);
        const row = present((await sellerAuctions(knex, params.team).where('auctions.id', id))[0]);
        const settings = settingsOf(presentSellerAuction(row, ''));
        const made = await createSalePreset(knex, params.team, body.name.trim(), settings);
        return success(shown(made), { status: 201, message: 'The preset is saved.' });
      },
    }),
    endpoint({
      ...head,
      method: 'DELETE',
      path: `${PATH}/{preset}`,
      operationId: 'deleteSalePreset',
      summary: 'Delete a preset',
      params: Type.Object({ team: Id, preset: Id }),
      notFound: true,
      codes: [...head.codes, 'forbidden'],
      responses: { 204: { description: 'It is gone; auctions made with it stay.' } },
      async handle({ params, principal }) {
        requireUnlocked(principal, params.team);
        await keptTeam(knex, params.team, principal.userId, 'delete_preset', 'delete a preset');
        if (!(await deleteSalePreset(knex, params.team, params.preset)))
          throw notFound('There is no such preset.');
        return { status: 204 };
      },
    }),
  ];
}

/** Throws 404 for teams that the caller is not in, and 403 where it requires a second factor that they lack. */
async function requireMember(
  knex: Knex,
  teamId: number,
  principal: SignedRequest['principal'],
): Promise<void> {
  if ((await roleIn(knex, teamId, principal.userId)) === null) throw notFound('There is no such team.');
  requireUnlocked(principal, teamId);
}

function shown({ id, name, settings, created_at }: SalePreset) {
  return { id, name, settings, created_at };
}
