import type { Operation } from '../framework/declare/operations.ts'

/** `/courses/{id_or_slug}` as the router writes it: `/courses/:id_or_slug`. */
export const routePath = (path: string): string => path.replace(/\{(\w+)\}/g, ':$1')

/** Literal segments before parameters: `/school/staff` is not the row `staff` of something. */
export function byPrecedence(left: Pick<Operation, 'path'>, right: Pick<Operation, 'path'>): number {
  const [a, b] = [rank(left.path), rank(right.path)]
  return a < b ? -1 : a > b ? 1 : 0
}

const rank = (path: string): string =>
  path
    .split('/')
    .map((segment) => (segment.startsWith('{') ? '1' : '0'))
    .join('')
