/** The stages of all tables, one after the other. `POLICY_RESOURCES=lot,team`: these tables alone. */
import type { Service } from '../support/service.ts';
import { auctionStage } from './auction-stage.ts';
import type { Cast } from './cast.ts';
import type { Stage } from './cells.ts';
import { campaignStage, itemStage, webhookStage } from './desk-stages.ts';
import { lotStage } from './lot-stage.ts';
import { mediaStage } from './media-stage.ts';
import { depositStage, invoiceStage, paymentStage } from './money-stages.ts';
import { officeStage } from './office-stage.ts';
import { offerStage, settlementStage, subscriptionStage } from './payout-stages.ts';
import { invitationStage, membershipStage, searchStage, teamStage, tokenStage } from './people-stages.ts';
import { bidStage, consignorStage, platformStage, registrationStage } from './sale-stages.ts';

const ONLY = process.env['POLICY_RESOURCES']?.split(',');

type On = <S extends string, A extends string>(stage: Stage<S, A>) => Promise<void>;

export async function onEveryStage(service: Service, cast: Cast, use: On): Promise<void> {
  const on: On = async (stage) => {
    if (ONLY?.includes(stage.policy.resource) !== false) await use(stage);
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
}
