import { expect } from 'chai';
import type { User } from '../../../src/accounts/models/user.model.ts';
import { quickHash } from '../../support/browser-like.ts';
import { aLot, anAuction, aTeam, aUser } from '../../support/builders.ts';
import { aPdf, bearer, sendForm, sessionHeaders, uploadForm } from '../../support/media.ts';
import { type Answer, type Service, startService } from '../../support/service.ts';

const PASSWORD = 'a long enough password';

const CALLERS = [
  'admin',
  'team owner',
  'team member',
  'former team member',
  'owning user',
  'member of the owning user’s personal team',
  'consignor of the lot',
  'consignor of another lot',
  'member of another team',
  'stranger',
] as const;
type CallerKind = (typeof CALLERS)[number];

/** What the rules say, for each kind of owner: who may do everything. Everybody else may do nothing. */
const OWNERS: Readonly<Record<string, readonly CallerKind[]>> = {
  'auction of a team': ['admin', 'team owner', 'team member'],
  'auction of a user': ['admin', 'owning user'],
  'lot in an auction of a team': ['admin', 'team owner', 'team member'],
  'lot in an auction of a user': ['admin', 'owning user'],
  'consigned lot in an auction of a team': ['admin', 'team owner', 'team member', 'consignor of the lot'],
  'consigned lot in an auction of a user': ['admin', 'owning user', 'consignor of the lot'],
};

const OPERATIONS = ['upload', 'reorder', 'delete'] as const;
const WAYS = ['token: write', 'token: admin', 'token: none', 'session', 'session without CSRF'] as const;
type Way = (typeof WAYS)[number];

const SUCCESS = { upload: 201, reorder: 200, delete: 200 } as const;

interface Target {
  readonly modelType: 'lot' | 'auction';
  readonly modelId: number;
}

describe('who may change media', () => {
  let service: Service;
  const users = new Map<CallerKind, User>();
  const headers = new Map<string, Record<string, string>>();
  const targets = new Map<string, Target>();
  before(async () => {
    service = await startService();
    await makePeople();
    await makeTargets();
    for (const caller of CALLERS) await makeHeaders(caller);
  });
  after(() => service.close());

  const user = (kind: CallerKind): User => users.get(kind)!;

  async function makePeople(): Promise<void> {
    for (const kind of CALLERS) {
      users.set(
        kind,
        await aUser(service.database, { password_hash: quickHash(PASSWORD), is_admin: kind === 'admin' }),
      );
    }
    await aTeam(service.database, { members: [{ user: user('member of another team') }] });
    const { knex } = service.database;
    const personal = await knex('teams').where('personal_user_id', user('owning user').id).first('id');
    await knex('memberships').insert({
      team_id: personal.id,
      user_id: user('member of the owning user’s personal team').id,
      role: 'member',
    });
  }

  async function makeTargets(): Promise<void> {
    const { database } = service;
    const team = await aTeam(database, {
      owner: user('team owner'),
      members: [{ user: user('team member') }, { user: user('former team member'), role: 'admin' }],
    });
    await database
      .knex('memberships')
      .where({ team_id: team.id, user_id: user('former team member').id })
      .delete();
    const consignor_id = user('consignor of the lot').id;
    for (const [name, columns] of [
      ['auction of a team', { team_id: team.id }],
      ['auction of a user', { user_id: user('owning user').id }],
    ] as const) {
      const auction = await anAuction(database, columns);
      const lot = await aLot(database, { auction_id: auction.id });
      const consigned = await aLot(database, { auction_id: auction.id, consignor_id });
      await aLot(database, { auction_id: auction.id, consignor_id: user('consignor of another lot').id });
      targets.set(name, { modelType: 'auction', modelId: auction.id });
      targets.set(`lot in an ${name}`, { modelType: 'lot', modelId: lot.id });
      targets.set(`consigned lot in an ${name}`, { modelType: 'lot', modelId: consigned.id });
    }
  }

  async function makeHeaders(caller: CallerKind): Promise<void> {
    const who = user(caller);
    const set = (way: Way, value: Record<string, string>) => headers.set(`${caller}/${way}`, value);
    set('token: write', bearer(await service.tokenFor(who, ['write'])));
    set('token: admin', bearer(await adminToken(who, caller === 'admin')));
    set('token: none', bearer(await service.tokenFor(who, ['read', 'seller'])));
    const session = await sessionHeaders(service, who, PASSWORD);
    set('session', session);
    set('session without CSRF', { cookie: session['cookie']! });
  }

  /** Only admins are given such a token, so all others were admins once. */
  async function adminToken(who: User, isStill: boolean): Promise<string> {
    const people = service.database.knex('users').where('id', who.id);
    await people.clone().update({ is_admin: true });
    const token = await service.tokenFor(who, ['admin']);
    await people.clone().update({ is_admin: isStill });
    return token;
  }

  let files = 0;
  async function aRow({ modelType, modelId }: Target): Promise<number> {
    files += 1;
    const [row] = await service.database
      .knex('media')
      .insert({
        [`${modelType}_id`]: modelId,
        kind: 'document',
        file_key: `matrix${files}.pdf`,
        file_name: 'a.pdf',
        mime_type: 'application/pdf',
        size: 1,
      })
      .returning('id');
    return row.id;
  }

  function send(
    operation: string,
    target: Target,
    mediaId: number,
    how: Record<string, string>,
  ): Promise<Answer> {
    if (operation === 'upload') return sendForm(service, uploadForm({ ...target, bytes: aPdf() }), how);
    if (operation === 'delete') return service.call('DELETE', `/api/media/${mediaId}`, { headers: how });
    return service.call('POST', '/api/media/reorder', { headers: how, body: { media_ids: [mediaId] } });
  }

  /** The `admin` ability has no effect for somebody who is no admin. */
  function expected(owner: string, caller: CallerKind, way: Way): string | null {
    if (way === 'session without CSRF') return 'csrf_failed';
    if (way === 'token: none') return 'missing_ability';
    if (way === 'token: admin' && caller !== 'admin') return 'missing_ability';
    return OWNERS[owner]!.includes(caller) ? null : 'media_not_owned';
  }

  for (const operation of OPERATIONS) {
    it(`${operation}: every kind of owner × caller × token or session`, async () => {
      for (const owner of Object.keys(OWNERS)) {
        const target = targets.get(owner)!;
        for (const caller of CALLERS) {
          for (const way of WAYS) {
            const label = `${caller} (${way}) on ${owner}`;
            const mediaId = await aRow(target);
            const answer = await send(operation, target, mediaId, headers.get(`${caller}/${way}`)!);
            const code = expected(owner, caller, way);
            const got = [answer.status, answer.body.code ?? null];
            expect(got, `${label}: ${answer.text}`).to.deep.equal([
              code === null ? SUCCESS[operation] : 403,
              code,
            ]);
            const left = await service.database.knex('media').where('id', mediaId).first('id');
            expect(left === undefined, label).to.equal(operation === 'delete' && code === null);
          }
        }
      }
    });
  }

  it('nobody without token or session may do anything', async () => {
    const target = targets.get('auction of a team')!;
    const mediaId = await aRow(target);
    for (const operation of OPERATIONS) {
      const answer = await send(operation, target, mediaId, {});
      expect([answer.status, answer.body.code]).to.deep.equal([401, 'unauthenticated']);
    }
  });

  it('what is not there is 404, for admins as for strangers', async () => {
    for (const caller of ['admin', 'stranger'] as const) {
      const how = headers.get(`${caller}/token: write`)!;
      const gone = { modelType: 'lot', modelId: 987_654_321 } as const;
      for (const operation of OPERATIONS) {
        const answer = await send(operation, gone, 987_654_321, how);
        expect(answer.status, `${caller} ${operation}`).to.equal(404);
        expect(answer.body).to.include({ success: false }).and.not.to.have.property('code');
      }
    }
  });
});
