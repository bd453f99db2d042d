import type { Middleware } from 'koa'
import { freshMilliseconds, serveDocument } from '../http/document.ts'
import { allowMethods } from '../http/methods.ts'
import { createSharedText, type SharedText } from '../lib/sharedText.ts'
import { isLinkable } from '../lib/webUrl.ts'
import type { OpenApiArguments, OpenApiFacts } from './openApiArguments.ts'
import { openApiDocument } from './openApiDocument.ts'

/** Stand for the values of a school. They are URLs where the document needs one. */
const markers: Readonly<Record<keyof OpenApiFacts, string>> = {
  issuer: 'https://issuer.marker.invalid',
  name: 'name.marker.invalid',
  contactEmail: 'contact@marker.invalid',
  supportUrl: 'https://support.marker.invalid',
}

/**
 * Serves `/openapi.json` with the values of the school. The document is held once for all schools, except that a school without an e-mail
 * address or a support page gets a text of a different form.
 */
export function createOpenApi(args: OpenApiArguments): Middleware {
  const texts = new Map<string, SharedText<keyof OpenApiFacts>>()
  const textOf = ({ contactEmail, supportUrl }: OpenApiFacts): SharedText<keyof OpenApiFacts> => {
    const form = `${contactEmail !== null} ${supportUrl !== null}`
    const found = texts.get(form)
    if (found) return found
    const given = { ...markers, ...(contactEmail === null && { contactEmail: null }), ...(supportUrl === null && { supportUrl: null }) }
    const present = Object.fromEntries(Object.entries(given).filter(([, marker]) => marker !== null)) as typeof markers
    const created = createSharedText(present, () => openApiDocument(args, given))
    texts.set(form, created)
    return created
  }
  return async (ctx, next) => {
    if (ctx.path !== '/openapi.json') return next()
    if (allowMethods(ctx, ['GET', 'HEAD']) === 'answered') return
    const { school } = ctx.state
    const { name, contactEmail, supportUrl } = await args.facts(school)
    const facts: OpenApiFacts = {
      issuer: school.issuer,
      name,
      contactEmail: contactEmail || null,
      supportUrl: supportUrl && isLinkable(supportUrl) ? supportUrl : null,
    }
    const text = textOf(facts)
    const values = facts as Readonly<Record<keyof OpenApiFacts, string>>
    const etag = `"${text.versionOf(values)}"`
    serveDocument(ctx, { body: text.fill(values), type: 'application/json', etag, maxAgeSeconds: 300 }, { freshMilliseconds })
  }
}
