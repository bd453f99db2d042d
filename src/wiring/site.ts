import type { Middleware } from 'koa'
import { LRUCache } from 'lru-cache'
import { siteMd } from '../agents/site/siteMd.ts'
import type { Operation } from '../framework/declare/operations.ts'
import { rateLimitHeaders, requireAllWithin } from '../http/rateLimitHeaders.ts'
import type { FindPageContext } from '../pages/pageContext.ts'
import { serveSite } from '../pages/site/serveSite.ts'
import { readChrome, type SiteChrome } from '../pages/site/siteChrome.ts'
import type { SiteSource } from '../pages/site/siteSource.ts'
import { checkoutAddress } from '../policy/checkout.ts'
import type { ExternalServices } from '../policy/externalServices.ts'
import type { School } from '../policy/school.ts'
import type { Foundation } from './foundation.ts'
import { publicView } from './publicView.ts'
import { schoolConfigOf } from './runtime.ts'

export interface SiteParts {
  pageContext: FindPageContext
  externalServices: ExternalServices
  /** Returns a number that changes with every change that this process makes to the school. */
  changeOf(school: School): number
}

export interface Site {
  middleware: Middleware
  /** Returns what the public pages of the school share; undefined if another site shows them. */
  chromeOf(school: School): Promise<SiteChrome | undefined>
  clear(): void
}

/** Schools whose menus are kept. */
const mostKept = 500
/** How long the menus of a school are shown without reading them again. */
const keptMilliseconds = 5000

/** Creates the public pages of the schools, which show what a visitor reads through the API. */
export function createSite(foundation: Foundation, { pageContext, externalServices, changeOf }: SiteParts): Site {
  const { runtime, database, replica, signer, statements, operations, limits } = foundation
  const operationOf = (kind: Operation['kind'], resource: string): Operation => {
    const found = operations.find(
      (one) => one.kind === kind && one.resource.name === resource && !(kind === 'list' && one.path.includes('{')),
    )
    if (!found) throw new Error(`no operation ${kind} of ${resource}`)
    return found
  }
  const sourceOf = (school: School): SiteSource => {
    const view = publicView({ database: database.kysely, replica, school, signer, statements, externalServices })
    return {
      single: (resource) => view.show(operationOf('get', resource)),
      one: (resource, idOrSlug, parameters) => view.show(operationOf('get', resource), { ...parameters, id_or_slug: idOrSlug }),
      list: (resource, parameters) => view.page(operationOf('list', resource), parameters),
    }
  }
  const isServed = (school: School): boolean => schoolConfigOf(runtime, school).public_pages
  const kept = new LRUCache<string, Promise<SiteChrome>>({ max: mostKept, ttl: keptMilliseconds })
  const chromeOf = (school: School): Promise<SiteChrome> => {
    const key = `${school.id} ${changeOf(school)}`
    const found = kept.get(key)
    if (found) return found
    const made = readChrome(sourceOf(school))
    kept.set(key, made)
    made.catch(() => kept.delete(key))
    return made
  }
  return {
    middleware: serveSite({
      log: foundation.log,
      pageContext,
      isServed,
      sourceOf,
      chromeOf,
      checkoutOf(school) {
        const template = schoolConfigOf(runtime, school).checkout_url
        return (item) => template && checkoutAddress(template, item)
      },
      async count(ctx) {
        const counts = await limits.countApi(ctx, undefined, [], 'page')
        ctx.set(rateLimitHeaders(counts))
        requireAllWithin(counts)
      },
      renderMarkdown: siteMd,
    }),
    chromeOf: async (school) => (isServed(school) ? chromeOf(school) : undefined),
    clear: () => kept.clear(),
  }
}
