/** What staff decide about sales that fall through: `lot default`, `lot second-chance`. */
import { type Command, InvalidArgumentError } from 'commander';
import { defaultLot } from '../../sales/offers/defaults.ts';
import { presentOffer } from '../../sales/offers/offer-facts.ts';
import { DEFAULT_OFFER_HOURS, MAX_OFFER_HOURS, offerSecondChance } from '../../sales/offers/offers.ts';
import { loadConfig } from '../config/config.ts';
import { moneyParts } from '../process/money-parts.ts';
import { groupOf, readId } from './arguments.ts';
import { withServers } from './command-servers.ts';
import { reporting } from './outcome.ts';

export function addSaleCommands(program: Command): void {
  const group = groupOf(program, 'lot', 'what happens after a sale');
  const withLot = (name: string, description: string) =>
    group.command(name).description(description).requiredOption('--lot <id>', 'its id', readId);
  const unpaid = withLot('default', 'void the invoice of a winner who has not paid').option(
    '--invoice <number>',
    'which one, where several have bought a part of the lot',
  );
  reporting(unpaid, (options: { lot: number; invoice?: string }) =>
    withServers(loadConfig(), async ({ database, config }) => {
      const parts = { knex: database.knex, ...moneyParts(config) };
      const { lotId, userId, invoiceNumber, status } = await defaultLot(parts, options.lot, options.invoice);
      return {
        result: { lot_id: lotId, user_id: userId, invoice_number: invoiceNumber, status },
        text: `The winner of lot ${lotId} has defaulted; ${invoiceNumber} is ${status}.`,
      };
    }),
  );
  const chance = withLot(
    'second-chance',
    'offer a lot whose winner defaulted, or that has passed, to the best bidder left',
  )
    .option('--below-reserve', 'even if their highest amount is below the reserve')
    .option(
      '--hours <n>',
      `how long the offer stays open, 1 to ${MAX_OFFER_HOURS}`,
      readHours,
      DEFAULT_OFFER_HOURS,
    );
  reporting(chance, (options: { lot: number; belowReserve?: true; hours: number }) =>
    withServers(loadConfig(), async ({ database }) => {
      const terms = { belowReserve: options.belowReserve === true, hours: options.hours };
      const offer = await offerSecondChance(database.knex, options.lot, terms);
      const shown = presentOffer(offer, Date.now());
      return {
        result: { ...shown, user_id: offer.user_id },
        text: `Lot ${options.lot} is offered to user ${offer.user_id} at ${shown.amount} until ${shown.expires_at}.`,
      };
    }),
  );
}

function readHours(text: string): number {
  const hours = /^[0-9]{1,3}$/.test(text) ? Number(text) : 0;
  if (hours < 1 || hours > MAX_OFFER_HOURS)
    throw new InvalidArgumentError(`It takes a whole number from 1 to ${MAX_OFFER_HOURS}.`);
  return hours;
}
