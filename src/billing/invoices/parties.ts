/** Who an invoice is from and to, with the addresses and tax numbers that are printed on it. */
import type { Knex } from 'knex';
import { TaxNumber } from '../../accounts/models/tax-number.model.ts';
import { Team } from '../../accounts/models/team.model.ts';
import { requireUserById } from '../../accounts/people/accounts.ts';
import { Auction } from '../../bidding/records/auction.model.ts';
import type { Invoice } from './invoice.model.ts';

export interface Party {
  readonly name: string;
  readonly email: string | null;
  readonly address: string | null;
  readonly taxNumber: string | null;
}

export interface Parties {
  readonly seller: Party;
  readonly buyer: Party;
}

/**
 * Who sells and who buys, as both were when the invoice was made: nobody who changes their name later changes it there.
 * An address or a tax number that was missing then is the one of today. What the marketplace itself bills for has no
 * seller but `operator`.
 */
export async function readParties(
  knex: Knex,
  invoice: Pick<Invoice, 'kind' | 'auction_id' | 'user_id' | 'tax_number_id' | 'parties'>,
  operator: string,
): Promise<Parties> {
  const marketplace: Party = { name: operator, email: null, address: null, taxNumber: null };
  const isSale = invoice.kind === 'winner' || invoice.kind === 'deposit';
  const [seller, { name, email, postal_address }, taxNumber] = await Promise.all([
    isSale && invoice.auction_id !== null ? readSeller(knex, invoice.auction_id) : null,
    requireUserById(knex, invoice.user_id),
    invoice.tax_number_id === null ? undefined : TaxNumber.query(knex).findById(invoice.tax_number_id),
  ]);
  const then = invoice.parties;
  const buyer = { name, email, address: postal_address, taxNumber: taxNumber?.number ?? null };
  return {
    seller: seller === null ? marketplace : asThen(seller, sellerThen(then)),
    buyer: asThen(buyer, then?.buyer ?? null),
  };
}

function sellerThen(then: Invoice['parties']): Partial<Party> | null {
  if (then === null || then.seller === null) return null;
  const { name, address, tax_number: taxNumber } = then.seller;
  return { name, address, taxNumber };
}

function asThen(today: Party, then: Partial<Party> | null): Party {
  return {
    name: then?.name ?? today.name,
    email: then?.email ?? today.email,
    address: then?.address ?? today.address,
    taxNumber: then?.taxNumber ?? today.taxNumber,
  };
}

/** The person who owns an auction, otherwise its team. */
async function readSeller(knex: Knex, auctionId: number): Promise<Party> {
  const { team_id, user_id } = await Auction.query(knex).findById(auctionId).throwIfNotFound();
  const team = await Team.query(knex).findById(team_id).throwIfNotFound();
  const person = user_id === null ? null : await requireUserById(knex, user_id);
  const { name } = person ?? team;
  const address = person?.postal_address ?? team.postal_address;
  return { name, email: null, address, taxNumber: team.tax_number };
}
