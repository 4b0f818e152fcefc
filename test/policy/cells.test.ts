/**
 * Every cell of the tables of `src/shared/policy`, over HTTP on the real service. `POLICY_RESOURCES=lot,team` tries
 * these tables alone.
 */
import { expect } from 'chai';
import { type Service, startService } from '../support/service.ts';
import { auctionStage } from './auction-stage.ts';
import { type Cast, castOf } from './cast.ts';
import { type CellRun, type Stage, tryCells } from './cells.ts';
import { campaignStage, itemStage, webhookStage } from './desk-stages.ts';
import { lotStage } from './lot-stage.ts';
import { mediaStage } from './media-stage.ts';
import { depositStage, invoiceStage, paymentStage } from './money-stages.ts';
import { officeStage } from './office-stage.ts';
import { offerStage, settlementStage, subscriptionStage } from './payout-stages.ts';
import { invitationStage, membershipStage, searchStage, teamStage, tokenStage } from './people-stages.ts';
import { bidStage, consignorStage, platformStage, registrationStage } from './sale-stages.ts';

const ONLY = process.env['POLICY_RESOURCES']?.split(',');

describe('every cell of who may do what, when', () => {
  let service: Service;
  let cast: Cast;

  before(async () => {
    service = await startService();
    cast = await castOf(service);
  });
  after(() => service.close());

  it('holds over HTTP', async () => {
    const runs: (() => Promise<CellRun>)[] = [];
    const on = async <S extends string, A extends string>(stage: Stage<S, A>) => {
      if (ONLY?.includes(stage.policy.resource) === false) return;
      runs.push((await tryCells(service, cast, stage)).run);
    };
    await on(auctionStage(service, cast));
    await on(lotStage(service, cast));
    await on(itemStage(service, cast));
    await on(campaignStage(service, cast));
    await on(webhookStage(service, cast));
    await on(searchStage(service, cast));
    await on(tokenStage(service, cast));
    await on(teamStage(service, cast));
    await on(membershipStage(service, cast));
    await on(invitationStage(service, cast));
    await on(invoiceStage(service, cast));
    await on(depositStage(service, cast));
    await on(paymentStage(service, cast));
    await on(settlementStage(service, cast));
    await on(offerStage(service, cast));
    await on(subscriptionStage(service, cast));
    await on(registrationStage(service, cast));
    await on(bidStage(service, cast));
    await on(consignorStage(service, cast));
    await on(await mediaStage(service, cast));
    await on(await platformStage(service, cast));
    await on(officeStage(service));
    await cast.settle();
    const found: string[] = [];
    for (const run of runs) {
      const { wrong } = await run();
      found.push(...wrong.map((cell) => `${cell.name}: ${cell.expected}, not ${cell.found}`));
    }
    expect(found.slice(0, 40).join('\n'), `${found.length} wrong`).to.equal('');
  });
});
