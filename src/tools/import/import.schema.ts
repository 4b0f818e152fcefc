/**
 * The import file, as one schema. Field names are those of the write endpoints; what lies elsewhere is named by email
 * address, team name or slug instead of by id.
 */
import { type Static, Type } from '@sinclair/typebox';
import { GIVEN_ROLES } from '../../accounts/models/team.model.ts';
import { PASSWORD_MAX_LENGTH, PASSWORD_MIN_LENGTH } from '../../accounts/people/password.ts';
import { ABILITIES } from '../../accounts/tokens/token.model.ts';
import { auctionFields } from '../../shared/auction.schema.ts';
import {
  Amount,
  Currency,
  Email,
  Id,
  JsonObject,
  line,
  nullable,
  oneOf,
  Percentage,
  Slug,
  text,
} from '../../shared/fields.schema.ts';
import { lotFields } from '../../shared/lot.schema.ts';

const Position = Type.Integer({ minimum: -1_000_000, maximum: 1_000_000 });

const ImportedUser = Type.Object({
  email: Email,
  name: Type.Optional(line(200)),
  phone: Type.Optional(nullable(line(50))),
  timezone: Type.Optional(line(64)),
  password: Type.Optional(
    Type.String({
      minLength: PASSWORD_MIN_LENGTH,
      maxLength: PASSWORD_MAX_LENGTH,
      'x-message': 'must have 8 to 128 characters',
    }),
  ),
  verified: Type.Optional(Type.Boolean()),
  admin: Type.Optional(Type.Boolean()),
  tokens: Type.Optional(
    Type.Array(
      Type.Object({
        name: line(200),
        abilities: Type.Optional(Type.Array(oneOf(ABILITIES), { maxItems: 20 })),
      }),
    ),
  ),
});

const ImportedTeam = Type.Object({
  name: line(200),
  owner: Type.Optional(Email),
  members: Type.Optional(Type.Array(Type.Object({ email: Email, role: Type.Optional(oneOf(GIVEN_ROLES)) }))),
  approved: Type.Optional(Type.Boolean()),
});

const ImportedCategory = Type.Object({
  slug: Slug,
  name: line(200),
  parent: Type.Optional(nullable(Slug)),
  description: Type.Optional(nullable(text(5_000))),
  position: Type.Optional(Position),
  schema: Type.Optional(JsonObject),
  ui_schema: Type.Optional(JsonObject),
});

const ImportedLot = Type.Object({
  ...lotFields,
  category: Type.Optional(nullable(Slug)),
  category_id: Type.Optional(nullable(Id)),
  consignor: Type.Optional(nullable(Email)),
  status: Type.Optional(oneOf(['draft', 'scheduled', 'active', 'withdrawn'])),
});

const ImportedAuction = Type.Object({
  ...auctionFields,
  slug: Type.Optional(Slug),
  team: Type.Optional(line(200)),
  user: Type.Optional(Email),
  category: Type.Optional(nullable(Slug)),
  category_id: Type.Optional(nullable(Id)),
  status: Type.Optional(oneOf(['draft', 'scheduled', 'active'])),
  lots: Type.Optional(Type.Array(ImportedLot)),
});

const ImportedPlan = Type.Object({
  slug: Slug,
  name: line(200),
  price_monthly: Type.Optional(Amount),
  price_yearly: Type.Optional(nullable(Amount)),
  currency: Type.Optional(Currency),
  features: Type.Optional(Type.Array(text(300), { maxItems: 200 })),
  limits: Type.Optional(JsonObject),
  commission_percentage: Type.Optional(Percentage),
});

const ImportedPlatform = Type.Object({
  slug: Slug,
  name: line(200),
  description: Type.Optional(nullable(text(5_000))),
  website_url: Type.Optional(nullable(text(2_000))),
  supports: Type.Optional(Type.Array(line(60), { maxItems: 100 })),
  status: Type.Optional(line(40)),
});

const ImportedHelp = Type.Object({
  slug: Slug,
  name: line(200),
  description: Type.Optional(nullable(text(5_000))),
  position: Type.Optional(Position),
  articles: Type.Optional(Type.Array(Type.Object({ slug: Slug, title: line(300), body: text(200_000) }))),
});

export const ImportDocumentSchema = Type.Object({
  users: Type.Optional(Type.Array(ImportedUser)),
  teams: Type.Optional(Type.Array(ImportedTeam)),
  categories: Type.Optional(Type.Array(ImportedCategory)),
  auctions: Type.Optional(Type.Array(ImportedAuction)),
  plans: Type.Optional(Type.Array(ImportedPlan)),
  platforms: Type.Optional(Type.Array(ImportedPlatform)),
  help: Type.Optional(Type.Array(ImportedHelp)),
});

export type ImportDocument = Static<typeof ImportDocumentSchema>;
export type ImportedUser = Static<typeof ImportedUser>;
export type ImportedTeam = Static<typeof ImportedTeam>;
export type ImportedCategory = Static<typeof ImportedCategory>;
export type ImportedAuction = Static<typeof ImportedAuction>;
export type ImportedLot = Static<typeof ImportedLot>;

/** What was loaded, by the names that the file uses. */
export interface ImportAnswer {
  users: Record<string, { id: number; tokens: Record<string, string> }>;
  teams: Record<string, number>;
  categories: Record<string, number>;
  auctions: Record<string, { id: number; lots: Record<string, number> }>;
}
