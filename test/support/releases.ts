/**
 * The releases that CHANGELOG.md names, newest first, each with the commit that it was made from: tags do not travel
 * with every clone.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT_ROOT } from '../../src/shared/project-root.ts';

export interface NamedRelease {
  readonly version: string;
  readonly date: string;
  readonly commit: string;
}

const HEADING = /^## \[(\d+\.\d+\.\d+)\] - (\d{4}-\d\d-\d\d)$(?:\n+Made from commit `([0-9a-f]{40})`\.)?/gm;

/** Throws for a release without a commit. */
export function releasesNamedIn(text: string): NamedRelease[] {
  return [...text.matchAll(HEADING)].map(([, version = '', date = '', commit]) => {
    if (commit === undefined) throw new Error(`CHANGELOG.md names no commit of ${version}`);
    return { version, date, commit };
  });
}

export function namedReleases(): NamedRelease[] {
  return releasesNamedIn(readFileSync(join(PROJECT_ROOT, 'CHANGELOG.md'), 'utf8'));
}
