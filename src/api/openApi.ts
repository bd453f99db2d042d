import type { Middleware } from 'koa'
import { freshMilliseconds, serveDocument } from '../http/document.ts'
import { allowMethods } from '../http/methods.ts'
import { createSharedText, type SharedText } from '../lib/sharedText.ts'
import { isLinkable } from '../lib/webUrl.ts'
import { describedTag } from './apiDescription.ts'
import type { OpenApiArguments, OpenApiFacts } from './openApiArguments.ts'
import { openApiDocument } from './openApiDocument.ts'

/** The document is built with these placeholders, which are replaced by the values of the school. They are URLs where the document needs one. */
const markers: Readonly<Record<keyof OpenApiFacts, string>> = {
  issuer: 'https://issuer.marker.invalid',
  name: 'name.marker.invalid',
  contactEmail: 'contact@marker.invalid',
  supportUrl: 'https://support.marker.invalid',
}

/** Path of the whole document, and of those of one resource each. */
const documentPath = /^\/openapi(?:\/(?<tag>\w+))?\.json$/

/**
 * Serves `/openapi.json`, and `/openapi/<resource>.json` with the operations of one resource alone, with the values of the school. Each
 * document is built on its first request and held once for all schools, except that a school without an e-mail address or a support page
 * gets a text of a different form.
 */
export function createOpenApi({ description: describe, scopes, facts: factsOf }: OpenApiArguments): Middleware {
  const texts = new Map<string, SharedText<keyof OpenApiFacts>>()
  const textOf = (tag: string | undefined, { contactEmail, supportUrl }: OpenApiFacts): SharedText<keyof OpenApiFacts> | undefined => {
    const form = `${tag ?? ''} ${contactEmail !== null} ${supportUrl !== null}`
    const found = texts.get(form)
    if (found) return found
    const whole = describe()
    if (tag !== undefined && !whole.tags.some(({ name }) => name === tag)) return undefined
    const description = tag === undefined ? whole : describedTag(whole, tag)
    const given = { ...markers, ...(contactEmail === null && { contactEmail: null }), ...(supportUrl === null && { supportUrl: null }) }
    const present = Object.fromEntries(Object.entries(given).filter(([, marker]) => marker !== null)) as typeof markers
    const created = createSharedText(present, () => openApiDocument(description, scopes, given))
    texts.set(form, created)
    return created
  }
  return async (ctx, next) => {
    const path = documentPath.exec(ctx.path)
    if (!path) return next()
    const { school } = ctx.state
    const { name, contactEmail, supportUrl } = await factsOf(school)
    const facts: OpenApiFacts = {
      issuer: school.issuer,
      name,
      contactEmail: contactEmail || null,
      supportUrl: supportUrl && isLinkable(supportUrl) ? supportUrl : null,
    }
    const text = textOf(path.groups?.tag, facts)
    if (!text) return next()
    if (allowMethods(ctx, ['GET', 'HEAD']) === 'answered') return
    const values = facts as Readonly<Record<keyof OpenApiFacts, string>>
    const etag = `"${text.versionOf(values)}"`
    serveDocument(ctx, { body: text.fill(values), type: 'application/json', etag, maxAgeSeconds: 300 }, { freshMilliseconds })
  }
}
