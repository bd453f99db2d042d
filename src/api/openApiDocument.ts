import type { ScopeEntry } from '../framework/declare/scopeCatalogue.ts'
import { isLinkable } from '../lib/webUrl.ts'
import type { ApiDescription } from './apiDescription.ts'
import type { OpenApiFacts } from './openApiArguments.ts'

/** Returns the description as an OpenAPI 3.0 document of a school. It names the scopes that its operations need. */
export function openApiDocument({ tags, paths, components, webhooks }: ApiDescription, scopes: readonly ScopeEntry[], facts: OpenApiFacts) {
  const needed = JSON.stringify(paths)
  const own = scopes.filter(({ name, verb }) => verb === 'identity' || needed.includes(`"${name}"`))
  return {
    ...schoolPart(facts),
    ...{ tags, paths, components: { ...components, securitySchemes: securitySchemes(own, facts) } },
    ...(webhooks && { 'x-webhooks': webhooks }),
  }
}

/** Returns the members that name the school. */
function schoolPart({ issuer, name, contactEmail, supportUrl }: OpenApiFacts): Record<string, unknown> {
  return {
    openapi: '3.0.3',
    info: {
      title: `API of ${name}`,
      version: '1.0.0',
      description: aboutApi,
      contact: { name, ...(contactEmail && { email: contactEmail }), ...(supportUrl && isLinkable(supportUrl) && { url: supportUrl }) },
    },
    externalDocs: { description: 'The same as a web page, with every error.', url: `${issuer}/docs` },
    servers: [{ url: issuer, description: 'This school.' }],
  }
}

const aboutApi = [
  'The resources of one school. Without a token, you get the public view. With a token, you get what its scopes and the role of its person allow.',
  'A list returns one page of the rows that the caller can see. Get the other pages with the `Link` header or with `page`.',
  'Responses are described as JSON. Some operations also offer CSV, NDJSON, HTML or iCalendar: `x-media-types` of the response lists them. Request one with the `Accept` header.',
  'A list in a parameter is one value with commas (`status=draft,published`). Where your client repeats the parameter instead, set its serializer to `explode: false`: a repeated parameter is 400.',
  'A GET responds with an `ETag`: send it in `If-None-Match` to get 304 if nothing has changed, or in `If-Match` with a change.',
  'PATCH takes a merge patch (RFC 7396): absent fields keep their value, null clears a field, and a list is replaced as a whole.',
  'Every response has `Request-Id`, `RateLimit` (requests left) and `RateLimit-Policy` (all limits of the request). Changes count against the limit `write`, too.',
  'Clients must ignore unknown members and unknown values: adding them does not change the version.',
].join('\n\n')

const securitySchemes = (scopes: readonly ScopeEntry[], { issuer }: OpenApiFacts) => ({
  oauth2: {
    type: 'oauth2',
    description: `Authorization code with PKCE (S256). Clients register themselves. ${issuer}/auth.md describes every step.`,
    flows: {
      authorizationCode: {
        authorizationUrl: `${issuer}/oauth/authorize`,
        tokenUrl: `${issuer}/api/oauth/token`,
        refreshUrl: `${issuer}/api/oauth/token`,
        scopes: Object.fromEntries(scopes.map(({ name, sentence }) => [name, sentence])),
      },
    },
  },
})
