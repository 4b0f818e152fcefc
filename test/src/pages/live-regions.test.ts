/**
 * What changes on a page is read out by the region that it is in. A region inside another is read twice by some screen
 * readers and not at all by others: no template has one.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { globSync } from 'glob';
import { PROJECT_ROOT } from '../../../src/shared/project-root.ts';

const REGION =
  /<([a-z][a-z0-9]*)\b(?:[^<>]|<%(?:(?!%>)[\s\S])*%>)*?(?:role="(?:status|alert|log)"|aria-live=)/g;
/** Components that are a region of their own, but where they are told that they stand in one. */
const OWN_REGION =
  /include\('\/components\/notice', (?:(?!inRegion)[^)])*\)|role="(?:status|alert|log)"|aria-live=/;

/** What stands between a tag and the end of its element. */
function insideOf(source: string, name: string, from: number): string {
  const tags = new RegExp(`<(/?)${name}\\b`, 'g');
  tags.lastIndex = from + 1;
  for (let depth = 1; depth > 0; ) {
    const found = tags.exec(source);
    if (found === null) return source.slice(from);
    depth += found[1] === '/' ? -1 : 1;
    if (depth === 0) return source.slice(from, found.index);
  }
  return '';
}

/** The regions of a template that are in another. */
function nestedIn(source: string): string[] {
  return [...source.matchAll(REGION)].flatMap((start) => {
    const [text, name = ''] = start;
    const inside = insideOf(source, name, start.index).slice(text.length);
    const own = inside.slice(inside.indexOf('>') + 1);
    return OWN_REGION.exec(own)?.slice(0, 1) ?? [];
  });
}

describe('a region that is read out', () => {
  it('is found where it stands in another', () => {
    const within = (html: string) =>
      nestedIn(`<div role="status" aria-live="polite">${html}</div><p role="alert">`);
    expect(within('<p role="status">Done</p>')).to.have.length(1);
    expect(within("<%~ include('/components/notice', { notice: it.notice }) %>")).to.have.length(1);
    expect(
      within("<%~ include('/components/notice', { notice: it.notice, inRegion: true }) %>"),
    ).to.deep.equal([]);
    expect(within('<div><p>Done</p></div>')).to.deep.equal([]);
  });

  it('stands in no other, on any page', () => {
    const templates = globSync('src/pages/**/*.eta', { cwd: PROJECT_ROOT, posix: true }).sort();
    expect(templates.length).to.be.greaterThan(100);
    const wrong = templates.flatMap((path) =>
      nestedIn(readFileSync(join(PROJECT_ROOT, path), 'utf8')).map((found) => `${path}: ${found}`),
    );
    expect(wrong).to.deep.equal([]);
  });
});
