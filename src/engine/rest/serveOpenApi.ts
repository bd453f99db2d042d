import type { Middleware } from 'koa'
import { freshMilliseconds, serveDocument } from '../../base/http/document.ts'
import { allowMethods } from '../../base/http/methods.ts'
import { isLinkable } from '../../base/net/webUrl.ts'
import type { School } from '../../base/school.ts'
import { createSharedText, insideString, type SharedText } from '../../base/text/sharedText.ts'

export interface OpenApiFacts {
  issuer: string
  name: string
  contactEmail: string | null
  supportUrl: string | null
}

export interface OpenApiArguments {
  /** Returns the description of all operations, or of one resource, with a marker at each place of the school; undefined without such a tag. */
  textOf(tag?: string): string | undefined
  facts(school: School): Promise<Omit<OpenApiFacts, 'issuer'>>
}

/** The places of the school in the description. The issuer is a URL, because the document needs one there. */
export const openApiMarkers = { issuer: 'https://issuer.marker.invalid', name: 'name.marker.invalid', contact: 'contact.marker.invalid' }
const places = { ...openApiMarkers, contact: JSON.stringify(openApiMarkers.contact) }

const documentPath = /^\/openapi(?:\/(?<tag>\w+))?\.json$/

/**
 * Serves `/openapi.json`, and `/openapi/<resource>.json` with the operations of one resource alone, with the values of the school. Each text
 * is read on its first request and held once for all schools.
 */
export function createOpenApi({ textOf, facts: factsOf }: OpenApiArguments): Middleware {
  const texts = new Map<string | undefined, SharedText<keyof typeof places>>()
  const sharedText = (tag: string | undefined): SharedText<keyof typeof places> | undefined => {
    const found = texts.get(tag)
    if (found) return found
    const text = textOf(tag)
    if (text === undefined) return undefined
    const created = createSharedText(places, text)
    texts.set(tag, created)
    return created
  }
  return async (ctx, next) => {
    const path = documentPath.exec(ctx.path)
    const text = path && sharedText(path.groups?.tag)
    if (!text) return next()
    if (allowMethods(ctx, ['GET', 'HEAD']) === 'answered') return
    const { school } = ctx.state
    const { issuer } = school
    const facts = await factsOf(school)
    const contact = JSON.stringify(contactOf({ ...facts, issuer }))
    const values = { issuer: insideString(issuer), name: insideString(facts.name), contact }
    const etag = `"${text.versionOf(values)}"`
    serveDocument(ctx, { body: text.fill(values), type: 'application/json', etag, maxAgeSeconds: 300 }, { freshMilliseconds })
  }
}

export const contactOf = ({ name, contactEmail, supportUrl }: OpenApiFacts) => ({
  name,
  ...(contactEmail && { email: contactEmail }),
  ...(supportUrl && isLinkable(supportUrl) && { url: supportUrl }),
})
