/** `/office/money`: the lists, and the pages of single invoices, settlements and payments with what staff do there. */
import type { Endpoint } from '../../../adapters/http/endpoint.ts';
import { subjectPages } from './deeds.ts';
import { invoiceSubject, type MoneyDeedParts } from './invoice-deeds.ts';
import { moneyLists } from './money-lists.ts';
import { paymentSubject } from './payment-deeds.ts';
import { settlementSubject } from './settlement-deeds.ts';

export function moneyPages(parts: MoneyDeedParts): Endpoint[] {
  return [
    ...moneyLists(parts),
    ...subjectPages(parts, invoiceSubject(parts)),
    ...subjectPages(parts, settlementSubject(parts)),
    ...subjectPages(parts, paymentSubject(parts)),
  ];
}
