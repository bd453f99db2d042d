import { everyRow, firstRows, type PageOfRows } from '../../lib/pageOfRows.ts'
import { Problem } from '../../lib/problem.ts'

const maxWhole = 1000

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
  list(resource: string, parameters: Readonly<Record<string, string>>): Promise<PageOfRows<unknown>>
}

/** Returns a source over the operations of the API. `get` returns the body of a response. */
export const siteSource = (
  get: (resource: string, parameters: Readonly<Record<string, string>>) => Promise<unknown>,
  list: SiteSource['list'],
): SiteSource => ({
  single: (resource) => get(resource, {}),
  one: (resource, key, parameters) => get(resource, { ...parameters, [resource === 'lessons' ? 'id' : 'id_or_slug']: key }),
  list,
})

/** Returns every row of a list, up to a number that no school reaches. */
export const wholeList = async (
  source: SiteSource,
  resource: string,
  parameters: Readonly<Record<string, string>>,
): Promise<readonly unknown[]> =>
  (
    await firstRows(
      everyRow((cursor) => source.list(resource, { ...parameters, limit: '100', ...(cursor !== undefined && { cursor }) })),
      maxWhole,
    )
  ).rows

/** Returns true for the problem of a row or a resource that the reader cannot see. */
export const isHidden = (error: unknown): boolean => error instanceof Problem && (error.status === 404 || error.status === 403)
