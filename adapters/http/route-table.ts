/**
 * Finds the endpoint of a method and path, and the methods that a path has. Built once from the list; fixed segments win
 * over parameters. `mount.ts` asks it before the router, to serve hot endpoints at once and to answer 404 and 405.
 */
import type { Method } from './endpoint.ts';

export interface Match<T> {
  readonly target: T;
  readonly params: Record<string, string>;
}

interface Node<T> {
  readonly fixed: Map<string, Node<T>>;
  parameter: Node<T> | null;
  readonly targets: Map<string, { readonly target: T; readonly names: readonly string[] }>;
}

const PARAMETER = /^\{([A-Za-z_][A-Za-z0-9_]*)\}$/;

/** Throws on two targets of one method and path, and on a segment that is partly a parameter. */
export class RouteTable<T> {
  readonly #root: Node<T> = newNode();

  add(method: Method, path: string, target: T): void {
    let node = this.#root;
    const names: string[] = [];
    for (const segment of path.slice(1).split('/')) {
      const name = PARAMETER.exec(segment)?.[1];
      if (name === undefined) {
        if (/[{}:*]/.test(segment)) throw new TypeError(`not a path: ${path}`);
        node = child(node, segment);
      } else {
        names.push(name);
        node.parameter ??= newNode();
        node = node.parameter;
      }
    }
    if (node.targets.has(method)) throw new TypeError(`two endpoints for ${method} ${path}`);
    node.targets.set(method, { target, names });
  }

  /** The target, or null. `HEAD` finds what `GET` finds. */
  match(method: string, path: string): Match<T> | null {
    const values: string[] = [];
    const from = path.startsWith('/') ? 1 : 0;
    const node = this.#find(this.#root, path, from, method === 'HEAD' ? 'GET' : method, values);
    if (node === null) return null;
    const { target, names } = node;
    const params: Record<string, string> = {};
    for (let at = 0; at < names.length; at += 1) params[names[at]!] = values[at]!;
    return { target, params };
  }

  /** For `Allow`; empty when nothing is at this path. */
  methodsOf(path: string): readonly string[] {
    const found = new Set<string>();
    this.#collect(this.#root, segmentsOf(path), 0, found);
    if (found.size === 0) return [];
    if (found.has('GET')) found.add('HEAD');
    found.add('OPTIONS');
    return [...found].sort();
  }

  #find(
    node: Node<T>,
    path: string,
    from: number,
    method: string,
    values: string[],
  ): { readonly target: T; readonly names: readonly string[] } | null {
    if (from > path.length) return node.targets.get(method) ?? null;
    const slash = path.indexOf('/', from);
    const to = slash < 0 ? path.length : slash;
    const segment = path.slice(from, to);
    const fixed = node.fixed.get(segment);
    if (fixed !== undefined) {
      const found = this.#find(fixed, path, to + 1, method, values);
      if (found !== null) return found;
    }
    if (node.parameter === null || segment === '') return null;
    values.push(decoded(segment));
    const found = this.#find(node.parameter, path, to + 1, method, values);
    if (found === null) values.pop();
    return found;
  }

  #collect(node: Node<T>, segments: readonly string[], at: number, found: Set<string>): void {
    const segment = segments[at];
    if (segment === undefined) {
      for (const method of node.targets.keys()) found.add(method);
      return;
    }
    const fixed = node.fixed.get(segment);
    if (fixed !== undefined) this.#collect(fixed, segments, at + 1, found);
    if (node.parameter !== null && segment !== '') this.#collect(node.parameter, segments, at + 1, found);
  }
}

function newNode<T>(): Node<T> {
  return { fixed: new Map(), parameter: null, targets: new Map() };
}

function child<T>(node: Node<T>, segment: string): Node<T> {
  let next = node.fixed.get(segment);
  if (next === undefined) {
    next = newNode();
    node.fixed.set(segment, next);
  }
  return next;
}

function segmentsOf(path: string): readonly string[] {
  return path.startsWith('/') ? path.slice(1).split('/') : [path];
}

/** What cannot be decoded stays as it is; no schema of an id accepts a percent sign. */
function decoded(segment: string): string {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
