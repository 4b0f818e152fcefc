/**
 * The office's filters by an auction, a lot or a team: staff know what these are called, not their numbers. Words find
 * them, where several are called so one is chosen, and ten thousand of them make no page longer.
 */
import { expect } from 'chai';
import { BrowserLike, quickHash, signIn } from '../../support/browser-like.ts';
import { aLot, anAuction, aTeam, aUser } from '../../support/builders.ts';
import { type Service, startService } from '../../support/service.ts';

const PASSWORD = 'a long enough password';
const MANY = 10_000;
/** Of a page with its frame, in characters. */
const MOST = 60_000;

describe('the office’s filters by name', () => {
  let service: Service;
  let browser: BrowserLike;
  let things: Awaited<ReturnType<typeof madeThings>>;

  before(async () => {
    service = await startService();
    const admin = await aUser(service.database, { password_hash: quickHash(PASSWORD), is_admin: true });
    browser = new BrowserLike(service.url);
    await signIn(browser, admin.email, PASSWORD);
    things = await madeThings();
  });
  after(() => service.close());

  async function madeThings() {
    const { database } = service;
    const team = await aTeam(database, { name: 'Quillback & Sons' });
    const [spring, autumn] = [
      await anAuction(database, { team_id: team.id, title: 'Heron sale, spring' }),
      await anAuction(database, { team_id: team.id, title: 'Heron sale, autumn' }),
    ];
    const decoy = await aLot(database, { auction_id: spring.id, title: 'Heron decoy' });
    const print = await aLot(database, { auction_id: autumn.id, title: 'Egret print' });
    return { team, spring, autumn, decoy, print };
  }

  const page = async (path: string) => {
    const { status, text } = await browser.get(path);
    expect(status, path).to.equal(200);
    return text;
  };
  const fieldOf = (html: string, name: string) =>
    new RegExp(`<input name="${name}" [^>]*value="([^"]*)"`).exec(html)?.[1];

  it('take words of the title, show what is meant, and take that again', async () => {
    const { spring, decoy } = things;
    const shown = `${spring.id} · Heron sale, spring`;
    for (const typed of ['SPRING', shown, String(spring.id)]) {
      const html = await page(`/office/lots?auction=${encodeURIComponent(typed)}`);
      expect(html, typed).to.contain(`${decoy.id} · Heron decoy`).and.not.contain('Egret print');
      expect(fieldOf(html, 'auction'), typed).to.equal(shown);
    }
  });

  it('ask which is meant where several are called so, and keep the other filters', async () => {
    const { spring, autumn } = things;
    const html = await page('/office/lots?status=active&auction=heron+sale');
    expect(html)
      .to.contain('Several auctions have these words in their title. Choose one:')
      .and.contain('No lot was found.')
      .and.not.contain('Heron decoy');
    for (const { id, title } of [spring, autumn])
      expect(html).to.contain(
        `<a href="?status=active&amp;auction=${id}">${id} · ${title} (Quillback &amp; Sons)</a>`,
      );
    expect(fieldOf(html, 'auction')).to.equal('heron sale');
  });

  it('say so where nothing is called so, and find nothing', async () => {
    const html = await page('/office/lots?auction=albatross');
    expect(html).to.contain('No auction has these words in its title.').and.contain('No lot was found.');
    expect(await page('/office/activity?team=albatross'))
      .to.contain('No team has these words in its name.')
      .and.contain('Nothing was found.');
  });

  it('are those of the books, the settlements and the activity too', async () => {
    const { team, decoy, autumn } = things;
    for (const path of ['/office/money/settlements', '/office/money/books', '/office/activity'])
      expect(fieldOf(await page(`${path}?team=quillback`), 'team'), path).to.equal(
        `${team.id} · Quillback &amp; Sons`,
      );
    const books = await page(`/office/money/books?auction=autumn&lot=decoy`);
    expect(fieldOf(books, 'auction')).to.equal(`${autumn.id} · Heron sale, autumn`);
    expect(fieldOf(books, 'lot')).to.equal(`${decoy.id} · Heron decoy`);
  });

  it(`offer the newest few, of ${MANY} auctions too`, async () => {
    const { team } = things;
    await service.backends.knex.raw(
      `INSERT INTO auctions (team_id, title, slug, status, start_time, end_time)
       SELECT ?, 'Crowded sale ' || n, 'crowded-' || n, 'ended', now() - interval '2 days', now() - interval '1 day'
       FROM generate_series(1, ?::int) n`,
      [team.id, MANY],
    );
    const fresh = await page('/office/money/books');
    const offered = [...fresh.matchAll(/<option value="[0-9]+ · Crowded sale (\d+)">/g)].map(([, n]) => n);
    expect(offered).to.have.length(20).and.include(String(MANY));
    const several = await page('/office/money/books?auction=crowded');
    expect([...several.matchAll(/<li><a href="\?auction=\d+">/g)]).to.have.length(20);
    expect(several).to.contain('Only the newest of them are listed: add a word to find another.');
    for (const html of [fresh, several]) expect(html.length).to.be.lessThan(MOST);
    expect(fieldOf(await page('/office/money/books?auction=crowded+sale+9999'), 'auction')).to.match(
      /^\d+ · Crowded sale 9999$/,
    );
  });
});
