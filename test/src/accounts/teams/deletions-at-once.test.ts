/**
 * Whatever is deleted while everything else is done to it, and to what hangs on it: nothing of it is answered 5xx, and
 * nothing is left half done. Made from the list of endpoints: every deletion of a seller's, beside every other write.
 */
import { expect } from 'chai';
import type { Endpoint } from '../../../../adapters/http/endpoint.ts';
import { aTeam, aUser } from '../../../support/builders.ts';
import { aPdf, bearer, sendForm, uploadForm } from '../../../support/media.ts';
import { keyOf, SellerRoutes } from '../../../support/seller-routes.ts';
import { type Service, startService } from '../../../support/service.ts';

/** Reads an address on the network. */
const ELSEWHERE = ['PUT /teams/{team}/identity-provider'];
const ROUNDS = Number(process.env['DELETION_ROUNDS'] ?? 2);

interface World {
  readonly routes: SellerRoutes;
  readonly team: number;
  readonly tokens: readonly [owner: string, leaver: string];
}

describe('deleting and creating at once', () => {
  let service: Service;
  let count = 0;

  before(async () => {
    service = await startService();
  });
  after(() => service.close());

  async function aWorld(): Promise<World> {
    const { database: db } = service;
    const [owner, leaver] = await Promise.all([aUser(db), aUser(db)]);
    const members = [{ user: leaver, role: 'admin' as const }];
    const { id: team } = await aTeam(db, { owner, members });
    count += 1;
    const abilities = ['seller', 'read', 'write'];
    return {
      routes: await SellerRoutes.of(service, { id: team, userId: leaver.id }, `Deleted-${count}`),
      team,
      tokens: [await service.tokenFor(owner, abilities), await service.tokenFor(leaver, abilities)],
    };
  }

  async function send({ routes, team }: World, route: Endpoint, token: string, body = routes.bodyOf(route)) {
    const path = routes.pathOf(route);
    const answer = await service.call(route.method, path, {
      token,
      headers: { 'x-team-id': String(team) },
      ...(body === undefined ? {} : { body }),
    });
    return { name: keyOf(route), status: answer.status, text: answer.text };
  }

  async function upload({ routes }: World, token: string) {
    const form = uploadForm({ bytes: aPdf(), fileName: 'deed.pdf', modelId: routes.idOf('lot') });
    const answer = await sendForm(service, form, bearer(token));
    return { name: 'upload', status: answer.status, text: answer.text };
  }

  it('is answered, whatever is deleted beside whatever else is done', async () => {
    const { routes: known } = await aWorld();
    const deletions = known.all.filter(({ method }) => method === 'DELETE');
    expect(deletions.length).to.be.greaterThan(8);
    const failed: string[] = [];
    for (const deletion of deletions) {
      for (let round = 0; round < ROUNDS; round += 1) {
        const world = await aWorld();
        const [owner, leaver] = world.tokens;
        const writes = known.all.filter(
          (route) => route.method !== 'GET' && route !== deletion && !ELSEWHERE.includes(keyOf(route)),
        );
        const publish = known.find('PATCH /seller/auctions/{id}');
        const some = round % 2 === 0 ? writes : writes.toReversed();
        const first = some.filter(({ method }) => method !== 'DELETE');
        const answers = await Promise.all([
          ...first.slice(0, 12).map((route) => send(world, route, leaver)),
          upload(world, owner),
          send(world, deletion, owner),
          send(world, publish, owner, { status: 'scheduled' }),
          ...first.slice(12).map((route) => send(world, route, owner)),
          send(world, deletion, leaver),
          ...some.filter(({ method }) => method === 'DELETE').map((route) => send(world, route, owner)),
        ]);
        for (const { name, status, text } of answers)
          if (status >= 500) failed.push(`${name} beside ${keyOf(deletion)}: ${status} ${text}`);
      }
    }
    expect(failed).to.deep.equal([]);
  });
});
