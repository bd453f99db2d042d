import type { Context, Middleware } from 'koa'
import { siteMd } from '../../agents/site/siteMd.ts'
import { viewerOnPage } from '../../base/caller.ts'
import { toPublicId, uuidOf } from '../../base/ids.ts'
import type { School } from '../../base/school.ts'
import { formerPath } from '../../base/text/formerPath.ts'
import { keysOf } from '../../base/text/keysOf.ts'
import type { ListedRow } from '../../base/text/pageOfRows.ts'
import { inSchool } from '../../database/school/inSchool.ts'
import { findFormerPath } from '../../database/tables/formerSlugs.ts'
import { checkoutAddress } from '../../engine/checkout.ts'
import { sitePath } from '../../engine/sitePaths.ts'
import { sessionCookieName } from '../../identity/oidc/cookies.ts'
import { createKeptForms } from '../../pages/account/keptForms.ts'
import { siteBar } from '../../pages/account/school/manage/siteBar.ts'
import { findSignedInPerson, type SignedInPerson } from '../../pages/account/signedInPerson.ts'
import { createCsrf } from '../../pages/csrf.ts'
import { knownPerson } from '../../pages/knownRows.ts'
import type { PageServices } from '../../pages/pagesArguments.ts'
import { createPngRenderer } from '../../pages/pictures/pngRenderer.ts'
import { servePictures } from '../../pages/pictures/servePictures.ts'
import { type FrameOf, serveSite } from '../../pages/site/serveSite.ts'
import { readChrome, type SiteChrome } from '../../pages/site/siteChrome.ts'
import type { ApiReader, ResponseTo } from '../../school/apiRows.ts'
import { subjects } from '../../school/comments/commentAccess.ts'
import { commentingOn } from '../../school/comments/mayComment.ts'
import type { Foundation } from './foundation.ts'
import { createOwnOperations } from './ownOperations.ts'
import { createPictureLogos } from './pictureLogos.ts'
import { publicView } from './publicView.ts'
import { countPage } from './rateLimits.ts'
import { schoolConfigOf } from './runtime.ts'

export interface SiteParts {
  services: PageServices
  /** Returns a number that changes with every change that this process makes to the school. */
  changeOf(school: School): number
}

export interface Site {
  middleware: Middleware
  /** Answers browsers at addresses that nothing else answers. Comes last. */
  rest: Middleware
  /** Returns what the public pages of the school share; undefined if another site shows them. */
  chromeOf(school: School): Promise<SiteChrome | undefined>
  /** Returns the frame of the public pages for another page. */
  frameOf: FrameOf
  clear(): void
}

/** The kinds of pages that can have had another path on another site, by the type of their rows. */
const kindsWithFormerPaths = { post: { kind: 'posts', prefix: 'pst' }, page: { kind: 'pages', prefix: 'pag' } } as const

/** How long the menus of a school are shown without reading them again. */
const keptMilliseconds = 5000

/** Creates the public pages of the schools, which show what a visitor reads through the API. */
export function createSite(foundation: Foundation, { services, changeOf }: SiteParts): Site {
  const { runtime, database, signer, statements, limits, keyring, stores, pageContext, externalServices } = foundation
  const { perform, list, managed, operationOf } = createOwnOperations(foundation)
  const visitorSource = (school: School): ApiReader => {
    const view = publicView({ database: inSchool(database.kysely, school.id), school, signer, statements, externalServices })
    return {
      get: <Id extends string, Query extends ListedRow>(id: Id, query: Query) => view.show<ResponseTo<Id, Query>>(operationOf(id), query),
      list: <Id extends string, Query extends ListedRow>(id: Id, query: Query) => view.page<ResponseTo<Id, Query>>(operationOf(id), query),
    }
  }
  const sourceOf = (ctx: Context, person: SignedInPerson | undefined): ApiReader =>
    person
      ? {
          get: async (id, parameters) => (await perform(ctx, person.accountId, id, { parameters })).body,
          list: (id, parameters) => list(ctx, person.accountId, id, parameters),
        }
      : visitorSource(ctx.state.school)
  const isServed = (school: School): boolean => schoolConfigOf(runtime, school).public_pages
  const kept = foundation.caches.create<Promise<SiteChrome>>('site_menus', { ttl: keptMilliseconds })
  const chromeOf = (school: School): Promise<SiteChrome> => {
    const key = `${school.id} ${changeOf(school)}`
    const found = kept.get(key)
    if (found) return found
    const chrome = readChrome(visitorSource(school))
    kept.set(key, chrome)
    chrome.catch(() => kept.delete(key))
    return chrome
  }
  const count = countPage(limits)
  const csrf = createCsrf(keyring)
  const served = serveSite({
    log: foundation.log,
    pageContext,
    isServed,
    sourceOf,
    csrf,
    keptForms: createKeptForms({ keyring, csrf, artifacts: stores.ephemeral, log: foundation.log }),
    // Most visitors have no session: their requests read nothing for it.
    personOf: async (ctx) =>
      ctx.cookies.get(sessionCookieName(ctx.state.school.issuer)) === undefined ? undefined : await findSignedInPerson(ctx, services),
    async commentingOn({ state: { school } }, person, { type, id }) {
      const found = person && (await knownPerson(services, school.id, person.accountId))
      const viewer = found ? viewerOnPage(found, school.id) : ({ kind: 'anonymous', schoolId: school.id } as const)
      return commentingOn(inSchool(database.kysely, school.id), viewer, { type, id: uuidOf(subjects[type], id) })
    },
    async memberOf({ state: { school } }, { accountId }) {
      const personId = (await knownPerson(services, school.id, accountId))?.personId
      return personId ? toPublicId('mbr', personId) : undefined
    },
    async manageOf(ctx, person, { address, texts }) {
      const role = (await knownPerson(services, ctx.state.school.id, person.accountId))?.role
      return await siteBar({ managed, source: sourceOf(ctx, person), role, texts }, address)
    },
    chromeOf,
    checkoutOf(school) {
      const template = schoolConfigOf(runtime, school).checkout_url
      return (item) => template && checkoutAddress(template, item)
    },
    async formerPathOf(school, path) {
      const form = formerPath(path)
      const types = keysOf(kindsWithFormerPaths)
      const row = form && (await findFormerPath(database.kysely, { schoolId: school.id, types, path: form }))
      const kind = row && types.find((type) => type === row.type)
      return kind && sitePath(kindsWithFormerPaths[kind].kind, toPublicId(kindsWithFormerPaths[kind].prefix, row.row_id))
    },
    count,
    renderMarkdown: siteMd,
  })
  const pictures = servePictures({
    pageContext,
    theme: async (school) => (await foundation.pageBranding(school)).theme,
    logoOn: createPictureLogos(foundation),
    renderer: createPngRenderer({
      caches: foundation.caches,
      onFailure: (reason) => foundation.log.warn({ reason }, 'picture not drawn'),
    }),
    titleAt: served.titleAt,
    count,
  })
  return {
    middleware: (ctx, next) => pictures(ctx, () => served.pages(ctx, next)),
    rest: served.rest,
    frameOf: served.frameOf,
    chromeOf: async (school) => (isServed(school) ? chromeOf(school) : undefined),
    clear: () => kept.clear(),
  }
}
