/** `/office/catalog`: plans, categories, and the Help Center. */
import type { Endpoint } from '../../../adapters/http/endpoint.ts';
import { categoryList, categorySubject } from './category-actions.ts';
import { articleSubject, helpCategorySubject, helpList } from './help-actions.ts';
import type { OfficeParts } from './office.ts';
import { planList, planSubject } from './plan-actions.ts';
import { subjectPages } from './subject-pages.ts';

export function officeCatalogPages(parts: OfficeParts): Endpoint[] {
  return [
    ...subjectPages(parts, planList),
    ...subjectPages(parts, planSubject),
    ...subjectPages(parts, categoryList),
    ...subjectPages(parts, categorySubject),
    ...subjectPages(parts, helpList),
    ...subjectPages(parts, articleSubject),
    ...subjectPages(parts, helpCategorySubject),
  ];
}
