/**
 * From "outbid" to "raised" by one tap, on the board of an evening with forty lots and on a lot's own page: how long
 * after the news reached the page its button bids enough, and how long after the tap the page says that one leads.
 * Together they are what we take of it. Moments are taken within the page.
 */
import type { Browser, Page } from 'playwright-core';
import { aLot, anAuction, aTeam } from '../support/builders.ts';
import type { Site } from './site.ts';

const LOTS = 40;
const ROUNDS = 20;
const MAX_MS = 300;
const PHONE = { viewport: { width: 390, height: 844 } };

/** Where a page has the button that raises, and where it says that one leads with this maximum. */
interface Screen {
  readonly name: string;
  readonly path: string;
  readonly lotId: number;
  readonly button: string;
  readonly lead: string;
}

interface Round {
  /** From the event's arrival in the page until the button bids enough. */
  readonly usable: number;
  /** From the tap until the page says that one leads. */
  readonly raised: number;
  readonly together: number;
  /** From the rival's 201 until the button bids enough: the way to the page included. */
  readonly shown: number;
}

/** Notes when each event of a stream came, before the page's own listeners hear it. */
const NOTES_EVENTS = `(() => {
  const Streams = globalThis.EventSource;
  globalThis.EventSource = class extends Streams {
    constructor(...given) {
      super(...given);
      for (const name of ['standing', 'bid.placed'])
        super.addEventListener(name, () => { globalThis.cameAt = performance.timeOrigin + performance.now(); });
    }
  };
})()`;

const NOW = 'performance.timeOrigin + performance.now()';

/** Looks at every turn of the page until it is so; gives the moment. */
const untilTrue = (page: Page, what: string): Promise<number> =>
  page.evaluate<number>(
    `new Promise((done) => {
      const { port1, port2 } = new MessageChannel();
      const look = () => ((${what}) ? done(${NOW}) : port2.postMessage(0));
      port1.onmessage = look;
      look();
    })`,
  );

const found = (selector: string) => `document.querySelector(${JSON.stringify(selector)})`;

/** Throws where the middle of all rounds of a screen is over 300 ms; gives them all in a line. */
export async function checkRaiseSpeed(site: Site, browser: Browser): Promise<string> {
  const lotIds = await anEvening(site);
  const user = await site.person();
  const token = await site.service.tokenFor(user);
  for (const id of lotIds) await site.service.call('POST', `/api/v1/lots/${id}/watchlist`, { token });
  const [onBoard = 0, ofItsOwn = 0] = lotIds;
  for (const id of [onBoard, ofItsOwn]) await bidLeast(site, token, id);
  const screens: readonly Screen[] = [
    {
      ...{ name: `the board of ${LOTS} lots`, path: '/account/board', lotId: onBoard },
      button: `[data-lot="${onBoard}"] [data-live="button"]`,
      lead: `[data-lot="${onBoard}"][data-standing="leading"] [data-live="max"]`,
    },
    {
      ...{ name: 'the lot’s page', path: `/lots/${ofItsOwn}`, lotId: ofItsOwn },
      ...{ button: '[data-raise-button]', lead: '[data-standing]:not([hidden])' },
    },
  ];
  const context = await browser.newContext(PHONE);
  await context.addInitScript(NOTES_EVENTS);
  const page = await site.signIn(context, user.email);
  const lines: string[] = [];
  for (const screen of screens) {
    await page.goto(`${site.url}${screen.path}`, { waitUntil: 'load' });
    await page.waitForTimeout(1_500);
    const rival = await site.service.tokenFor(await site.person());
    const rounds: Round[] = [];
    for (let n = 0; n < ROUNDS; n += 1) rounds.push(await playRound(site, page, screen, rival));
    lines.push(`${screen.name}: ${said(rounds)}`);
    const middle = quantile(
      rounds.map(({ together }) => together),
      0.5,
    );
    if (!(middle <= MAX_MS)) throw new Error(lines.join('; '));
  }
  await context.close();
  return lines.join('; ');
}

async function playRound(site: Site, page: Page, screen: Screen, rival: string): Promise<Round> {
  const { answeredMs, next } = await bidLeast(site, rival, screen.lotId);
  const amount = `$${Number(next).toLocaleString('en-US', { minimumFractionDigits: 2 })}`;
  const button = found(screen.button);
  const isUsable = `${button}?.textContent.trim() === ${JSON.stringify(`Bid ${amount}`)}`;
  const usableAt = await untilTrue(page, `${isUsable} && !${button}.disabled && ${button}.checkVisibility()`);
  const cameAt = await page.evaluate<number>('globalThis.cameAt');
  const tapped = page.evaluate<number>(`(() => { const at = ${NOW}; ${button}.click(); return at; })()`);
  const leadsAt = untilTrue(page, `${found(screen.lead)}?.textContent.includes(${JSON.stringify(amount)})`);
  const raised = (await leadsAt) - (await tapped);
  await page.waitForTimeout(300);
  const usable = usableAt - cameAt;
  return { usable, raised, together: usable + raised, shown: usableAt - answeredMs };
}

/** The least that leads; when it was answered, and what leads then. */
async function bidLeast({ service }: Site, token: string, lotId: number) {
  const { body } = await service.get(`/api/v1/lots/${lotId}`);
  const given = { token, body: { amount: body.data.minimum_next_bid, confirm: true } };
  const answer = await service.call('POST', `/api/v1/lots/${lotId}/bids`, given);
  const answeredMs = performance.timeOrigin + performance.now();
  if (answer.status !== 201) throw new Error(answer.text);
  return { answeredMs, next: String(answer.body.data.lot.minimum_next_bid) };
}

/** Lots that all end within twenty minutes. */
async function anEvening({ service }: Site): Promise<number[]> {
  const team = await aTeam(service.database);
  const end_time = new Date(Date.now() + 20 * 60_000).toISOString();
  const auction = await anAuction(service.database, { team_id: team.id, title: 'Tools tonight', end_time });
  const ids: number[] = [];
  for (let n = 1; n <= LOTS; n += 1)
    ids.push((await aLot(service.database, { auction_id: auction.id, title: `Tool ${n}` })).id);
  await service.publish();
  return ids;
}

const quantile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ??
  Number.NaN;

function said(rounds: readonly Round[]): string {
  const of = (name: keyof Round) => {
    const all = rounds.map((round) => round[name]);
    return `${name} ${Math.round(quantile(all, 0.5))} ms (p95 ${Math.round(quantile(all, 0.95))})`;
  };
  return `${(['usable', 'raised', 'together', 'shown'] as const).map(of).join(', ')} in ${rounds.length} rounds`;
}
