/** The predicate and its SQL, compared on every combination of status, privacy and viewer; and the documented table. */
import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import type { Database } from '../../../../adapters/postgres/database.ts';
import { isVisible } from '../../../../engine/lot/eligibility.ts';
import type { User } from '../../../../src/accounts/models/user.model.ts';
import { PRIVACIES } from '../../../../src/shared/auction.schema.ts';
import { NOBODY, type Relation } from '../../../../src/shared/policy/relations.ts';
import { LOT_STATUSES } from '../../../../src/shared/statuses/lot-statuses.ts';
import { type LotFacts, seesAuction, seesLot } from '../../../../src/shared/visibility/visibility.ts';
import {
  auctionFactsOf,
  auctionFactsSql,
  type LotFactsRow,
  listsAuctionSql,
  listsLotAuctionSql,
  listsLotSql,
  lotFactsOf,
  lotFactsSql,
  relationOf,
  seesAuctionSql,
  seesLotSql,
} from '../../../../src/shared/visibility/visibility-sql.ts';
import { anAuction, aTeam, aUser } from '../../../support/builders.ts';
import { type MigratedDatabase, migratedDatabase } from '../../../support/migrated-database.ts';
import {
  auctionsThatAre,
  listsAuction,
  listsLot,
  visibilityTable,
} from '../../../support/visibility-table.ts';

interface Viewer {
  readonly name: string;
  readonly user: User | null;
  readonly relation: Relation;
}

interface Row extends LotFactsRow {
  readonly viewer: string;
  readonly sees_auction: boolean;
  readonly sees_lot: boolean;
  readonly lists_auction: boolean;
  readonly lists_active: boolean;
  readonly lists_other: boolean;
  readonly lists_all: boolean;
}

/** A lot of each status; of two that are withdrawn the first was published before, where its auction is. */
const LOTS = [...LOT_STATUSES.statuses, 'withdrawn' as const].map((status) => [status] as const);

async function withdraw({ knex }: Database, auctionId: number): Promise<void> {
  const [first] = await knex('lots')
    .where({ auction_id: auctionId, title: 'withdrawn' })
    .orderBy('id')
    .pluck('id');
  await knex('lots').where('id', first).update({ status: 'active' });
  await knex('lots').where({ auction_id: auctionId, title: 'withdrawn' }).update({ status: 'withdrawn' });
}

const REGISTRATIONS = ['pending', 'declined', 'suspended', 'deposit_due', 'approved'] as const;

describe('who sees what', () => {
  let database: MigratedDatabase;
  const viewers: Viewer[] = [];

  before(async () => {
    database = await migratedDatabase();
    const { db } = database;
    const someone = (name: string, user: User | null, relation: Partial<Relation> = {}) =>
      viewers.push({ name, user, relation: { ...NOBODY, ...relation } });
    const [owner, admin, member, consignor] = [
      await aUser(db),
      await aUser(db),
      await aUser(db),
      await aUser(db),
    ];
    const team = await aTeam(db, {
      owner,
      members: [
        { user: admin, role: 'admin' },
        { user: member, role: 'member' },
      ],
    });
    someone('visitor', null);
    someone('bidder', await aUser(db));
    someone('admin of the service', await aUser(db, { is_admin: true }));
    for (const status of REGISTRATIONS)
      someone(status, await aUser(db), {
        isRegistered: status === 'approved' || status === 'deposit_due',
      });
    for (const [name, user] of [
      ['owner', owner],
      ['admin', admin],
      ['member', member],
    ] as const)
      someone(name, user, { isMember: true });
    someone('consignor', consignor, { isConsignor: true });
    for (const { auctionStatus: status, auctionPublished } of auctionsThatAre()) {
      for (const privacy of PRIVACIES) {
        const auction = await anAuction(db, {
          team_id: team.id,
          status: auctionPublished ? status : 'draft',
          privacy_setting: privacy,
        });
        const registered = viewers.filter(({ name }) => REGISTRATIONS.some((one) => one === name));
        await db
          .knex('registrations')
          .insert(
            registered.map(({ name, user }) => ({ auction_id: auction.id, user_id: user!.id, status: name })),
          );
        await db.knex('lots').insert(
          LOTS.map(([lot], index) => ({
            auction_id: auction.id,
            lot_number: index + 1,
            title: lot,
            slug: `lot-${auction.id}-${index}`,
            starting_bid_cents: 100,
            status: lot === 'withdrawn' ? 'draft' : lot,
            consignor_id: consignor.id,
          })),
        );
        await withdraw(db, auction.id);
        if (status === 'cancelled') await db.knex('auctions').where('id', auction.id).update({ status });
      }
    }
  });
  after(() => database.drop());

  /** Every lot there is, as this viewer finds it. */
  async function readAll(viewer: Viewer): Promise<Row[]> {
    const user = `${viewer.user?.id ?? 'null'}::bigint`;
    const { rows } = await database.db.knex.raw<{ rows: Row[] }>(
      `SELECT l.status, ${lotFactsSql(user)}, ${seesAuctionSql(user)} AS sees_auction, ${seesLotSql(user)} AS sees_lot,
         ${listsAuctionSql()} AS lists_auction,
         ${listsLotSql('active')} AND ${listsLotAuctionSql('active')} AS lists_active,
         ${listsLotSql('withdrawn')} AND ${listsLotAuctionSql('withdrawn')} AS lists_other,
         ${listsLotSql(null)} AND ${listsLotAuctionSql(null)} AS lists_all
       FROM lots l JOIN auctions a ON a.id = l.auction_id`,
    );
    return rows;
  }

  it('is the same in SQL and in the predicate, in every state, privacy and for every viewer', async () => {
    let checked = 0;
    for (const viewer of viewers) {
      for (const row of await readAll(viewer)) {
        const facts = lotFactsOf(row);
        const where = `${viewer.name}, ${JSON.stringify(facts)}`;
        const { relation } = viewer;
        expect(relationOf(row), where).to.deep.equal(relation);
        expect(row.sees_auction, where).to.equal(seesAuction(facts, relation));
        expect(row.sees_lot, where).to.equal(seesLot(facts, relation));
        expect(row.lists_auction, where).to.equal(listsAuction(facts));
        expect(row.lists_active, where).to.equal(listsLot(facts, 'active'));
        expect(row.lists_other, where).to.equal(listsLot(facts, 'withdrawn'));
        expect(row.lists_all, where).to.equal(listsLot(facts, null));
        checked += 1;
      }
    }
    const lots = auctionsThatAre().length * PRIVACIES.length * LOTS.length;
    expect(checked).to.equal(viewers.length * lots);
  });

  it('reads for an auction alone what it reads for its lots', async () => {
    const { rows } = await database.db.knex.raw(
      `SELECT ${auctionFactsSql(`${viewers[0]!.user?.id ?? 'null'}::bigint`)} FROM auctions a LIMIT 1`,
    );
    expect(auctionFactsOf(rows[0]).auctionStatus).to.be.a('string');
    expect(relationOf(rows[0])).to.deep.equal(NOBODY);
  });

  it('hides in lists what the viewer may not see', () => {
    for (const { auctionStatus, auctionPublished } of auctionsThatAre())
      for (const privacy of PRIVACIES)
        for (const lotStatus of LOT_STATUSES.statuses) {
          const lotPublished = auctionPublished && lotStatus !== 'draft';
          const facts = { auctionStatus, auctionPublished, privacy, lotStatus, lotPublished };
          for (const status of [null, ...LOT_STATUSES.statuses])
            if (listsLot(facts, status)) expect(seesLot(facts, NOBODY)).to.equal(true);
          if (listsAuction(facts)) expect(seesAuction(facts, NOBODY)).to.equal(true);
        }
  });

  it('is what the engine answers to a bid on a published lot', () => {
    for (const privacy of PRIVACIES)
      for (const isMember of [false, true])
        for (const isRegistered of [false, true])
          for (const isConsignor of [false, true]) {
            const facts: LotFacts = {
              ...{ auctionStatus: 'active', auctionPublished: true, privacy },
              ...{ lotStatus: 'active', lotPublished: true },
            };
            expect(
              engineSees(privacy, { isMember, isRegistered, isConsignor }),
              `${privacy} ${isMember} ${isRegistered} ${isConsignor}`,
            ).to.equal(seesLot(facts, { isMember, isRegistered, isConsignor }));
          }
  });

  it('is printed in docs/visibility.md', async () => {
    const page = await readFile('docs/visibility.md', 'utf8');
    expect(page).to.contain(visibilityTable());
  });
});

function engineSees(privacy: (typeof PRIVACIES)[number], relation: Relation): boolean {
  const who = {
    key: 'u:1',
    userId: 1,
    verified: true,
    suspended: false,
    teamIds: [7],
    paddle: null,
  } as const;
  const record = { privacy, ownerUserId: null, ownerTeamId: relation.isMember ? 7 : 8 };
  const bidder = relation.isRegistered ? { status: 'approved' as const } : null;
  const state = { consignorUserId: relation.isConsignor ? 1 : null };
  return isVisible(state, record, who, bidder);
}
