/**
 * Everybody who has no business with a house, against all that it has: every route, with the house's things in its
 * path, its query, its body at any depth, its form, a file and the team header. Whoever attacks is answered as if there
 * were no such thing, reads nothing of it, and changes nothing of it. `ATTACK_ROUTES=lots` tries those alone whose
 * path has that in it.
 */
import { expect } from 'chai';
import type { Endpoint } from '../../adapters/http/endpoint.ts';
import { eventually } from '../support/market.ts';
import { type Service, startService } from '../support/service.ts';
import { attacksOn, faultsOf, refusalIn, SAYS, send } from './attack-runs.ts';
import {
  type Attacker,
  attackWorld,
  difference,
  type Rows,
  rowsOfAll,
  SECRET,
  VICTIMS_ID,
  type World,
} from './attack-world.ts';
import { reachOf } from './named-routes.ts';

/** What is everybody's, or a secret in itself that nobody here has. */
const OPEN: readonly RegExp[] = [
  /^\/(docs|help|assets|sitemaps|operator|sandbox)\//,
  /^\/api\/v1\/(categories|checkpoints|help)\//,
  /^(?!\/webhooks\/).*\{(key|token|article|part|seller|platform)\}/,
  /^\/media\//,
  /^\/ads\//,
];
/** Anybody follows a team. */
const FOR_EVERYBODY = new Set(['followTeam', 'followOnPage']);
/** The process's own state, streams, and what counts up to the highest id. */
const MOVING = /^\/(metrics|healthz|readyz|\.well-known)|stream$|checkpoints|\/docs|sitemap/;
describe('attacks on everything of a house', () => {
  let service: Service;
  let world: World;
  let routes: readonly Endpoint[];
  const listed = new Map<string, string>();
  const tally = {
    ...{ routes: 0, requests: 0, positions: new Set<string>() },
    ...{ reached: new Set<string>(), told: new Set<string>() },
  };

  before(async function () {
    this.timeout(600_000);
    service = await startService({ moneyByHand: true });
    const only = process.env['ATTACK_ROUTES'];
    routes = service.web.app.endpoints.filter(
      ({ path }) => !OPEN.some((one) => one.test(path)) && (only === undefined || path.includes(only)),
    );
    world = await attackWorld(service, (attackers) =>
      readLists(attackers, (key, text) => listed.set(key, text)),
    );
  });
  after(() => service.close());

  /** Every list of the API without a parameter, as each attacker reads it whom no table lets see more. */
  async function readLists(
    attackers: readonly Attacker[],
    use: (key: string, text: string) => void,
  ): Promise<void> {
    for (const one of routes.filter(
      ({ method, path, page }) =>
        method === 'GET' && page !== true && !path.includes('{') && !MOVING.test(path),
    )) {
      for (const who of attackers.filter((each) => !reachOf(one, each.who).isTheirs)) {
        const answer = await send(service, one, who, { at: 'list', path: one.path });
        const text = answer?.text.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z|"request_id":"[^"]*"/g, '#') ?? '';
        use(`${one.operationId} as ${who.name}`, text);
      }
    }
  }

  it('shows in no list, and is counted in none', async () => {
    const found: string[] = [];
    const known = world.attackers.filter(({ name }) => listed.has(`getMe as ${name}`));
    await readLists(known, (key, text) => {
      const before = listed.get(key) ?? '';
      const at = [...text].findIndex((char, index) => char !== before[index]);
      const around = (one: string) => one.slice(Math.max(0, at - 60), at + 100);
      if (before !== text) found.push(`${key}: ${around(text)} instead of ${around(before)}`);
      if (text.includes(SECRET)) found.push(`${key} shows it`);
    });
    expect(known.length).to.be.greaterThan(4);
    expect(found.join('\n')).to.equal('');
  });

  it('is answered as nothing is, and has no effect', async function () {
    this.timeout(3_600_000);
    const found: string[] = [];
    let rows = world.rows;
    let all = await rowsOfAll(service);
    for (const one of routes) {
      const before = tally.requests;
      const parts = await Promise.all(world.attackers.map((who) => attack(one, who)));
      found.push(...parts.flat());
      if (tally.requests === before) continue;
      tally.routes += 1;
      if (one.method === 'GET') continue;
      const now = await rowsOfAll(service);
      found.push(...effects(one, rows, all, now));
      rows = difference(rows, difference(rows, now));
      all = now;
    }
    process.stdout.write(
      `      ${tally.routes} routes, ${world.attackers.length} attackers, ${tally.positions.size} positions, ` +
        `${tally.requests} requests, ${tally.reached.size} reached by the tables\n`,
    );
    if (found.length > 0) throw new Error(`${found.length} found:\n${found.slice(0, 200).join('\n')}`);
    if (process.env['ATTACK_ROUTES'] !== undefined) return;
    expect([...tally.reached].filter((one) => one.endsWith('as rival'))).to.deep.equal([]);
    for (const [reach, told] of [
      ['consignorPage as holder of a consignor’s link', 'platform_not_allowed as platform of the rival'],
      ['receivePaymentEvent as provider', 'invalid_signature as provider'],
      ['officePersonPage as staff', 'others_invoice as staff'],
    ] as const) {
      expect([...tally.reached]).to.include(reach);
      expect([...tally.told]).to.include(told);
    }
  });

  it('is not named by the cells of a file', async () => {
    const rival = world.attackers.find(({ name }) => name === 'rival')?.browser;
    if (!rival) throw new Error('there is no rival');
    const into = `/seller/auctions/${world.rival.auctions[1]?.id}/import`;
    const became = async (consignor: string) => {
      const file = new FormData();
      file.set('_csrf', rival.csrfToken);
      file.set('file', new Blob([`title,starting_bid,consignor\nA lot,10.00,${consignor}\n`]), 'lots.csv');
      const { location, text } = await rival.send('POST', into, { 'x-csrf-token': rival.csrfToken }, file);
      const id = /\/import\/(\d+)$/.exec(location ?? '')?.[1];
      expect(id, text.slice(0, 300)).not.to.equal(undefined);
      await rival.post(`${into}/${id}`, { action: 'check' });
      const row = await eventually(async () => {
        const read = await service.database.knex('lot_imports').where('id', Number(id)).first();
        return ['checking', 'importing'].includes(read.status) ? null : read;
      });
      const page = await rival.get(`${into}/${id}`);
      expect(page.text).not.to.include(String(world.victim.person.id));
      return `${row.status} ${JSON.stringify(row.failed)}`.replaceAll(consignor, '#');
    };
    expect(await became(SECRET)).to.equal(await became('Absent-7d21c'));
    expect(await became('Rival')).not.to.equal(await became('Absent-7d21c'));
  });

  async function attack(one: Endpoint, who: Attacker): Promise<string[]> {
    if (who.scope?.test(one.path) === false) return [];
    if (FOR_EVERYBODY.has(one.operationId)) return [];
    const { isTheirs, refusals } = reachOf(one, who.who);
    if (isTheirs) {
      tally.reached.add(`${one.operationId} as ${who.name}`);
      return [];
    }
    const found = new Set<string>();
    for (const attack of attacksOn(world, one, who)) {
      const answer = await send(service, one, who, attack.real);
      const other = await send(service, one, who, attack.twin);
      if (answer === null || other === null) break;
      tally.requests += 2;
      tally.positions.add(`${one.operationId} ${attack.real.at}`);
      // With what the tables refuse, they say that it is there.
      const told = refusalIn(answer, refusals);
      if (told !== undefined) tally.told.add(`${told} as ${who.name}`);
      for (const fault of faultsOf(world, attack, answer, other))
        if (told === undefined || !SAYS.test(fault))
          found.add(`${one.operationId} as ${who.name}, ${attack.real.at}: ${fault}`);
      // Who is not let in at all is so whatever they name.
      if (answer.status === 401 && other.status === 401) break;
    }
    return [...found];
  }

  /** Rows of the victim's that are gone or different, and new ones that name what is the victim's. */
  function effects(one: Endpoint, rows: Rows, before: Rows, now: Rows): string[] {
    const said = (rowsBy: Rows, what: string) =>
      [...rowsBy].flatMap(([table, texts]) =>
        [...texts].map((text) => `${one.operationId} ${what} ${table}: ${text.slice(0, 300)}`),
      );
    const naming = [...difference(now, before)].map(
      ([table, texts]) =>
        [table, new Set([...texts].filter((text) => text.search(VICTIMS_ID) >= 0))] as const,
    );
    return [...said(difference(rows, now), 'changed'), ...said(new Map(naming), 'left a row in')];
  }
});
