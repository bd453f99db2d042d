import { Problem } from '../../lib/problem.ts'

/** The school's rows as a visitor reads them through the API. Rows that visitors may not see do not exist. */
export interface SiteSource {
  /** Returns the only row of a resource, such as the school. */
  single(resource: string): Promise<unknown>
  /**
   * Returns the row with this slug or id.
   * @throws Problem not_found
   */
  one(resource: string, idOrSlug: string, parameters: Readonly<Record<string, string>>): Promise<unknown>
  /**
   * Returns one page of a list.
   * @throws Problem not_found if the school does not offer the resource
   */
  list(resource: string, parameters: Readonly<Record<string, string>>): Promise<SiteRows>
}

/** One page of a list, with the cursors of its neighbours. */
export interface SiteRows {
  rows: readonly unknown[]
  next: string | null
  previous: string | null
}

/** Returns true for the problem of a row or a resource that visitors cannot see. */
export const isHidden = (error: unknown): boolean => error instanceof Problem && (error.status === 404 || error.status === 403)
