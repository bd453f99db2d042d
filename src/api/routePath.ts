import type { Operation } from '../framework/declare/operations.ts'

/** Converts a path to the router's syntax: `/courses/{id_or_slug}` becomes `/courses/:id_or_slug`. */
export const routePath = (path: string): string => path.replace(/\{(\w+)\}/g, ':$1')

/** Sorts literal segments before parameters, so that `/school/staff` does not match a route with an id. */
export function byPrecedence(left: Pick<Operation, 'path'>, right: Pick<Operation, 'path'>): number {
  const [a, b] = [rank(left.path), rank(right.path)]
  return a < b ? -1 : a > b ? 1 : 0
}

const rank = (path: string): string =>
  path
    .split('/')
    .map((segment) => (segment.startsWith('{') ? '1' : '0'))
    .join('')
