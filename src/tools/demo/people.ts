/** Who is in the demo marketplace: three people to sign in as, twenty bidders, consignors, and the teams that sell. */
import type { ImportedTeam, ImportedUser } from '../import/import.schema.ts';

export type DemoRole = 'buyer' | 'seller' | 'admin';

export interface DemoPerson {
  readonly role: DemoRole;
  readonly email: string;
  readonly name: string;
  readonly abilities: ('read' | 'write' | 'seller' | 'admin')[];
}

/** The accounts that visitors sign in with. Their addresses have a domain that can never be registered. */
export const DEMO_PEOPLE: readonly DemoPerson[] = [
  { role: 'buyer', email: 'buyer@rostrum.example', name: 'Bea Holloway', abilities: ['read', 'write'] },
  {
    role: 'seller',
    email: 'seller@rostrum.example',
    name: 'Sam Prairie',
    abilities: ['read', 'write', 'seller'],
  },
  {
    role: 'admin',
    email: 'admin@rostrum.example',
    name: 'Ada Marsh',
    abilities: ['read', 'write', 'seller', 'admin'],
  },
];

export const SELLER_TEAM = 'Prairie Gate Auctions';
export const LAND_TEAM = 'Longview Land Company';

const BIDDERS = [
  'Marcus Webb',
  'Priya Raman',
  'Dolores Ortega',
  'Hank Lindqvist',
  'Yuki Tanaka',
  'Caleb Stone',
  'Ingrid Solberg',
  'Tobias Ferrer',
  'Nadia Karim',
  'Roy Whitfield',
  'Elena Petrova',
  'Gus McAllister',
  'Fatima Haddad',
  'Walter Boone',
  'Sofia Lindgren',
  'Andre Baptiste',
  'June Castellano',
  'Otis Redmond',
  'Mei Chen',
  'Patrick Doyle',
] as const;

/** Email addresses of the twenty bidders, in order. */
export const BIDDER_EMAILS: readonly string[] = BIDDERS.map(emailOf);

export const CONSIGNOR_NAME = 'Vera Castell';
export const CONSIGNOR_EMAIL = 'vera.castell@rostrum.example';

function emailOf(name: string): string {
  return `${name.toLowerCase().replaceAll(' ', '.')}@rostrum.example`;
}

/** All accounts. Only the three demo people have passwords and tokens; `tokenName` names the tokens. */
export function demoUsers(passwords: ReadonlyMap<DemoRole, string>, tokenName: string): ImportedUser[] {
  return [
    ...signInUsers(passwords, tokenName),
    ...BIDDERS.map((name, index) => ({ email: emailOf(name), name, verified: index % 5 !== 4 })),
    { email: CONSIGNOR_EMAIL, name: CONSIGNOR_NAME, verified: true },
    { email: 'clerk@rostrum.example', name: 'Theo Clerk', verified: true },
    { email: 'land@rostrum.example', name: 'Ruth Longview', verified: true },
  ];
}

/** The three people to sign in as, with a password and one token each. */
export function signInUsers(passwords: ReadonlyMap<DemoRole, string>, tokenName: string): ImportedUser[] {
  return DEMO_PEOPLE.map(({ role, email, name, abilities }) => ({
    email,
    name,
    password: passwords.get(role),
    verified: true,
    admin: role === 'admin',
    tokens: [{ name: tokenName, abilities }],
  }));
}

export const DEMO_TEAMS: ImportedTeam[] = [
  {
    name: SELLER_TEAM,
    owner: 'seller@rostrum.example',
    members: [{ email: 'clerk@rostrum.example', role: 'member' }],
    approved: true,
  },
  {
    name: LAND_TEAM,
    owner: 'land@rostrum.example',
    members: [{ email: 'seller@rostrum.example', role: 'admin' }],
    approved: true,
  },
];

/** What the teams say about themselves on their pages, and the addresses that invoices print. */
export const DEMO_TEAM_PAGES: readonly {
  readonly name: string;
  readonly about: string;
  readonly postal_address: string;
}[] = [
  {
    name: SELLER_TEAM,
    about: `A house of four people in Emporia, Kansas. We sell workshops, farm machinery and the contents of old \
houses for families who would rather not do it themselves.

Everything can be inspected on Tuesdays and Thursdays, by appointment. What you buy is kept for two weeks; we help \
to load, and we know a carrier for what does not fit into a truck.`,
    postal_address: 'Prairie Gate Auctions\n400 Commercial Street\nEmporia, KS 66801',
  },
  {
    name: LAND_TEAM,
    about: `We sell land and nothing else, in twenty counties from Maine to Oregon. Each tract has been walked, and \
its parcel number checked with the county.

Title is conveyed by warranty deed through a title company of the county, within thirty days of payment.`,
    postal_address: 'Longview Land Company\n12 Court House Square\nWestcliffe, CO 81252',
  },
];

export const BUYER_ADDRESS = '77 Sylvan Avenue\nLawrence, KS 66044';
