/** `/office/money`: the lists, and the pages of single invoices, settlements and payments with what staff do there. */
import type { Endpoint } from '../../../adapters/http/endpoint.ts';
import { booksList } from './books-page.ts';
import { invoiceSubject, type MoneyActionParts } from './invoice-actions.ts';
import { invoiceList, paymentList, settlementList, waitingList } from './money-lists.ts';
import { officeList } from './office.ts';
import { paymentSubject } from './payment-actions.ts';
import { selectableList } from './selection.ts';
import { settlementSubject } from './settlement-actions.ts';
import { subjectPages } from './subject-pages.ts';

export function moneyPages(parts: MoneyActionParts): Endpoint[] {
  const [invoice, settlement, payment] = [
    invoiceSubject(parts),
    settlementSubject(parts),
    paymentSubject(parts),
  ];
  return [
    ...selectableList(parts, waitingList(parts), settlement),
    ...selectableList(parts, invoiceList(parts), invoice),
    ...selectableList(parts, settlementList(parts), settlement),
    ...selectableList(parts, paymentList(parts), payment),
    officeList(parts, booksList(parts)),
    ...subjectPages(parts, invoice),
    ...subjectPages(parts, settlement),
    ...subjectPages(parts, payment),
  ];
}
