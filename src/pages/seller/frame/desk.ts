/**
 * What all rooms of the seller's desk have in common: who may come in and for which team, the frame with the choice of
 * team and the menu, and how a room has the API's own operations done for that team. Every room builds on it.
 */
import { type Static, Type } from '@sinclair/typebox';
import type { Knex } from 'knex';
import type { HttpRequest, Reply } from '../../../../adapters/http/endpoint.ts';
import type { OperationAnswer, OperationInput, Operations } from '../../../../adapters/http/operations.ts';
import type { Problem } from '../../../../adapters/http/problem.ts';
import { SchemaCompiler } from '../../../../adapters/http/validate.ts';
import { ValidationErrors } from '../../../../adapters/http/validation-errors.ts';
import { type OwnTeam, teamsOf } from '../../../accounts/models/team-members.ts';
import { AuctionTypeSchema } from '../../../shared/auction.schema.ts';
import { orNull } from '../../../shared/fields.schema.ts';
import { notFound } from '../../../shared/refusal.ts';
import { languageOf, type PageOptions, type Pages, type SignedIn } from '../../page.ts';
import type { ShownFor } from '../forms/form-values.ts';

export interface DeskParts {
  readonly knex: Knex;
  readonly pages: Pages;
  readonly operations: Pick<Operations, 'perform' | 'bodySchema'>;
}

/** How forms show moments and amounts to who asks. */
export function shownFor(request: HttpRequest, zone = 'UTC'): ShownFor {
  return { zone, language: languageOf(request) };
}

/** A team as the desk shows it. */
export type DeskTeam = OwnTeam;

/** Somebody at the desk of a team. */
export interface Visit {
  readonly request: HttpRequest;
  readonly who: SignedIn;
  readonly team: DeskTeam;
  readonly teams: readonly DeskTeam[];
  /** Does an operation of the API for the team. Throws its refusals. */
  perform(operationId: string, input?: Omit<OperationInput, 'teamId'>): Promise<OperationAnswer>;
}

/** What a form's handler says when it is done, shown once on the page that follows. */
export interface Notice {
  readonly kind: 'good' | 'bad' | 'warn';
  readonly text: string;
}

export class Desk {
  readonly knex: Knex;
  readonly pages: Pages;
  readonly operations: DeskParts['operations'];

  constructor({ knex, pages, operations }: DeskParts) {
    this.knex = knex;
    this.pages = pages;
    this.operations = operations;
  }

  /**
   * Does `work` for somebody who acts for a team. Visitors are sent to sign in; people who are in no team, or may not
   * act for theirs before they have set up a second factor, get a page that says what to do; so do those who open
   * what belongs to another of their teams.
   */
  async at(request: HttpRequest, work: (visit: Visit) => Promise<Reply>): Promise<Reply> {
    return this.pages.forSignedIn(request, (who) => this.#forTeam(request, who, work));
  }

  async #forTeam(
    request: HttpRequest,
    who: SignedIn,
    work: (visit: Visit) => Promise<Reply>,
  ): Promise<Reply> {
    const teams = await teamsOf(this.knex, who.userId)
      .orderBy('teams.personal', 'desc')
      .orderBy('teams.name');
    const team = teams.find(({ id }) => id === who.currentTeamId) ?? teams[0];
    if (team === undefined) return this.#outside(request, 'seller/frame/join', { teams });
    if (who.lockedTeamIds.includes(team.id))
      return this.#outside(request, 'seller/frame/locked', { team, teams });
    const perform: Visit['perform'] = (operationId, input = {}) =>
      this.operations.perform(operationId, request, { ...input, teamId: team.id });
    try {
      return await work({ request, who, team, teams, perform });
    } catch (error) {
      const owner = this.pages.problemOf(error)?.status === 404 ? await this.#ownerOf(request, teams) : null;
      if (owner === null || owner.id === team.id) throw error;
      return this.#outside(request, 'seller/frame/other-team', { team, teams, owner });
    }
  }

  /** The one of these teams whose thing a page is about; null where it is none of theirs. */
  async #ownerOf({ method, path }: HttpRequest, teams: readonly DeskTeam[]): Promise<DeskTeam | null> {
    const [, , room = '', id = ''] = path.split('/');
    const kind = THINGS[room];
    if (method !== 'GET' || kind === undefined || !kind.id.test(id)) return null;
    const row = await this.knex(kind.table)
      .where(kind.column, id)
      .first<{ team_id: number } | undefined>('team_id');
    return teams.find((one) => one.id === row?.team_id) ?? null;
  }

  /** A page in the desk's frame. */
  html({ request, team, teams }: Visit, page: PageOptions): Reply {
    const data = { sheets: ['desk.css'], ...page.data, team, teams, room: roomOf(request.path) };
    return this.pages.html(request, { ...page, data, secret: true });
  }

  /** The refusal in a thrown value, for pages that say it themselves; faults, bugs and 404 are thrown on. */
  refusalIn(error: unknown): Problem {
    const problem = this.pages.problemOf(error);
    if (problem !== null && problem.status < 500 && problem.status !== 404) return problem;
    throw error;
  }

  go(to: string): Reply {
    return this.pages.go(to);
  }

  #outside(request: HttpRequest, template: string, data: object): Reply {
    const page = { title: 'Sell', template, status: 403, secret: true };
    return this.pages.html(request, { ...page, data: { ...data, room: roomOf(request.path) } });
  }
}

const NUMBER = /^[1-9][0-9]{0,14}$/;

/** What pages of the desk are about, by their room. */
const THINGS: Readonly<Record<string, { table: string; column: string; id: RegExp }>> = {
  auctions: { table: 'auctions', column: 'id', id: NUMBER },
  lots: { table: 'lots', column: 'id', id: NUMBER },
  inventory: { table: 'inventory_items', column: 'id', id: NUMBER },
  campaigns: { table: 'ad_campaigns', column: 'id', id: NUMBER },
  settlements: { table: 'settlements', column: 'statement_number', id: /^[A-Z0-9-]{1,40}$/ },
};

/** `/seller/auctions/7/live` is in the room `auctions`; the overview is none. */
function roomOf(path: string): string {
  return path.split('/')[2] ?? '';
}

/** The fields of the API's auction that rooms read themselves. */
const SellersAuction = Type.Object({
  id: Type.Integer(),
  title: Type.String(),
  slug: Type.String(),
  status: Type.String(),
  format: Type.String(),
  type: AuctionTypeSchema,
  timezone: Type.String(),
  currency: Type.String(),
  start_time: Type.String(),
  end_time: Type.String(),
  category_id: orNull(Type.Integer()),
  lots_count: Type.Integer(),
  stagger_seconds: Type.Integer(),
  soft_close: orNull(Type.Object({ window_seconds: Type.Integer(), extension_seconds: Type.Integer() })),
  registration: Type.Object({ mode: Type.String() }),
});
export type SellersAuction = Static<typeof SellersAuction>;

const isSellersAuction = new SchemaCompiler().checkOf(SellersAuction, 'auction');

/** An auction of the visit's team, as the API shows it. Throws 404. */
export async function auctionAt(visit: Visit, id: number): Promise<SellersAuction> {
  const { data } = await visit.perform('getSellerAuction', { params: { id } });
  const errors = new ValidationErrors();
  if (isSellersAuction(data, errors)) return data;
  throw new Error(
    `the API shows an auction without what the desk reads: ${JSON.stringify(errors.toErrors())}`,
  );
}

/** Throws 404 for what is not there or is another team's. */
export function found<T>(row: T | undefined | null, what: string): T {
  if (row === undefined || row === null) throw notFound(`There is no such ${what}.`);
  return row;
}
