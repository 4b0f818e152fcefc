/** The path parameter of things that have an id and a slug. What can be neither is 404 before anything is looked up. */
import { Type } from '@sinclair/typebox';

/** Digits alone are an id, so no slug is made of digits alone. */
export const idOrSlug = (description: string) =>
  Type.String({
    pattern: '^([1-9][0-9]{0,14}|(?![0-9]+$)[a-z0-9]+(-[a-z0-9]+)*)$',
    maxLength: 120,
    description,
  });
