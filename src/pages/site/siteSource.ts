import { Problem } from '../../lib/problem.ts'
import { listBody } from '../../resources/siteRows.ts'

/** The school's rows as the reader of a page reads them through the API. Rows that the reader may not see do not exist. */
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

/** Returns a source over the operations of the API. `read` returns the body of a response. */
export const siteSource = (
  read: (
    kind: 'get' | 'list',
    resource: string,
    parameters: Readonly<Record<string, string>>,
  ) => Promise<Readonly<Record<string, unknown>>>,
): SiteSource => ({
  single: (resource) => read('get', resource, {}),
  one: (resource, key, parameters) => read('get', resource, { ...parameters, [resource === 'lessons' ? 'id' : 'id_or_slug']: key }),
  async list(resource, parameters) {
    const { data, page } = listBody.parse(await read('list', resource, parameters))
    return { rows: data, next: page.next_cursor, previous: page.prev_cursor }
  },
})

/** Returns true for the problem of a row or a resource that the reader cannot see. */
export const isHidden = (error: unknown): boolean => error instanceof Problem && (error.status === 404 || error.status === 403)
