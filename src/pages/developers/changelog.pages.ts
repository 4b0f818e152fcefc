/**
 * `/changelog.xml`, the changelog as a feed, and its entries for `/docs/changelog`. Both read `CHANGELOG.md`, once in a
 * process.
 */
import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Feed } from 'feed';
import { type Endpoint, endpoint } from '../../../adapters/http/endpoint.ts';
import { PROJECT_ROOT } from '../../shared/project-root.ts';
import { PAGE } from '../page.ts';

/** A line of the changelog, without its links to tests. */
export interface Change {
  /** The same as long as its text is. */
  readonly id: string;
  readonly text: string;
  /** `Added`, `Changed`, `Fixed` … */
  readonly kind: string;
}

/** The changes of a release, or of what is not released, in the file's order. */
export interface Release {
  readonly name: string;
  readonly date: Date;
  readonly changes: readonly Change[];
}

const FILE = join(PROJECT_ROOT, 'CHANGELOG.md');
const IN_FEED = 100;

let read: readonly Release[] | null = null;

/** Newest first. */
export function releases(): readonly Release[] {
  read ??= releasesOf(readFileSync(FILE, 'utf8'), statSync(FILE).mtime);
  return read;
}

/** What a changelog's text says, in the form of Keep a Changelog; what has no date gets `undated`. */
export function releasesOf(text: string, undated: Date): Release[] {
  return text
    .split(/^## /m)
    .slice(1)
    .map((part) => {
      const [, name = '', date] = /^\[?([^\]\s]+)\]?(?: - (\d{4}-\d\d-\d\d))?/.exec(part) ?? [];
      return { name, date: date === undefined ? undated : new Date(date), changes: changesOf(part) };
    });
}

function changesOf(release: string): Change[] {
  return release
    .split(/^### /m)
    .slice(1)
    .flatMap((part) => {
      const [kind = '', ...lines] = part.split('\n');
      const items = lines.join('\n').split(/^- /m).slice(1);
      return items.map((item) => changeOf(plain(item), kind.trim()));
    });
}

function changeOf(text: string, kind: string): Change {
  return { id: createHash('sha256').update(text).digest('hex').slice(0, 12), text, kind };
}

/** On one line; other links keep their words. */
function plain(markdown: string): string {
  return markdown
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/\s*\((?:(?:\[test\]\([^)]*\)|`n(?:pm|px) [^`]*`)(?:,\s*)?)+\)/g, '')
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .trim();
}

export function changelogFeed(): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'GET',
    path: '/changelog.xml',
    access: { kind: 'public' },
    operationId: 'changelogFeed',
    summary: 'What has changed, as a feed',
    responses: { 200: { description: 'RSS 2.0.', contentType: 'application/rss+xml' } },
    async handle({ baseUrl }) {
      const page = `${baseUrl}/docs/changelog`;
      const feed = new Feed({
        title: 'Changelog',
        description: 'What has changed in the API and on the pages.',
        id: page,
        link: page,
        feed: `${baseUrl}/changelog.xml`,
        copyright: '',
        generator: 'changelog',
      });
      const all = releases().flatMap(({ date, changes }) => changes.map((change) => ({ ...change, date })));
      for (const { id, text, kind, date } of all.slice(0, IN_FEED)) {
        const address = `${page}#${id}`;
        const description = text.replaceAll('`', '');
        const category = [{ name: kind }];
        feed.addItem({
          title: titleOf(description),
          id: address,
          link: address,
          date,
          description,
          category,
        });
      }
      return {
        status: 200,
        raw: feed.rss2(),
        contentType: 'application/rss+xml; charset=utf-8',
        headers: { 'Cache-Control': 'public, max-age=300' },
      };
    },
  });
}

/** What comes before the first colon or the end of the first sentence. */
function titleOf(text: string): string {
  return text.split(/(?<=\S)[:.;](?:\s|$)/)[0] ?? text;
}
