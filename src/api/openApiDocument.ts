import type { Operation } from '../framework/declare/operations.ts'
import { changeFeedOf } from '../framework/output/changeFeed.ts'
import { pageInfoSchema, publishedSchemas } from '../framework/output/publishedSchemas.ts'
import { isLinkable } from '../lib/webUrl.ts'
import type { OpenApiArguments, OpenApiFacts } from './openApiArguments.ts'
import { errorComponents } from './openApiErrors.ts'
import { answerHeaders, requestHeaders } from './openApiHeaders.ts'
import { describeOperation, feedTag, requestBodies } from './openApiOperation.ts'

/** Returns the whole API as an OpenAPI 3.0 document, derived from the same declarations as the routes. */
export function openApiDocument({ operations, scopes }: Pick<OpenApiArguments, 'operations' | 'scopes'>, facts: OpenApiFacts) {
  const { issuer, name, contactEmail, supportUrl } = facts
  const feed = changeFeedOf(operations)
  const all = [...operations, feed]
  const paths = pathsOf(all)
  const responses = errorComponents(all)
  const schemas = publishedSchemas(operations)
  const bodies = requestBodies(operations, schemas)
  const isUsed = usedIn({ paths, responses })
  return {
    openapi: '3.0.3',
    info: {
      title: `API of ${name}`,
      version: '1.0.0',
      description: apiDescription,
      contact: { name, ...(contactEmail && { email: contactEmail }), ...(supportUrl && isLinkable(supportUrl) && { url: supportUrl }) },
    },
    externalDocs: { description: 'The same as a web page, with every error.', url: `${issuer}/docs` },
    servers: [{ url: issuer, description: 'This school.' }],
    tags: tagsOf(operations),
    paths,
    components: {
      schemas: referredTo({ ...schemas, Paging: pageInfoSchema, Error: errorSchema }, { paths, responses, bodies }),
      responses,
      requestBodies: bodies,
      parameters: Object.fromEntries(Object.entries(requestHeaders).filter(([key]) => isUsed(`parameters/${key}`))),
      headers: Object.fromEntries(Object.entries(answerHeaders).filter(([key]) => isUsed(`headers/${key}`))),
      securitySchemes: {
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
      },
    },
  }
}

const apiDescription = [
  'The resources of one school. Without a token, you get the public view. With a token, you get what its scopes and the role of its person allow.',
  'Responses are described as JSON. Some operations also offer CSV, NDJSON, HTML or iCalendar: `x-media-types` of the response lists them. Request one with the `Accept` header.',
  'A list in a parameter is one value with commas (`status=draft,published`). Where your client repeats the parameter instead, set its serializer to `explode: false`: a repeated parameter is 400.',
  'Clients must ignore unknown members and unknown values: adding them does not change the version.',
].join('\n\n')

/** Returns a function that is true for components that the paths refer to. */
function usedIn(paths: object): (component: string) => boolean {
  const text = JSON.stringify(paths)
  return (component) => text.includes(`"#/components/${component}"`)
}

/** Returns the schemas that these parts refer to, directly or through another schema. Others are not published. */
function referredTo(schemas: Readonly<Record<string, object>>, parts: object): Record<string, object> {
  const found = new Map<string, object>()
  const follow = (part: object): void => {
    for (const [, name = ''] of JSON.stringify(part).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      const schema = schemas[name]
      if (!schema || found.has(name)) continue
      found.set(name, schema)
      follow(schema)
    }
  }
  follow(parts)
  return Object.fromEntries([...found].toSorted(([left], [right]) => (left < right ? -1 : 1)))
}

/** Groups operations by path. Paths that differ only in the name of a parameter are one path. */
function pathsOf(operations: readonly (Operation | ReturnType<typeof changeFeedOf>)[]): Record<string, Record<string, unknown>> {
  const names = new Map<string, string>()
  const paths: Record<string, Record<string, unknown>> = {}
  for (const operation of operations) {
    const form = operation.path.replace(/\{\w+\}/g, '{}')
    const path = names.get(form) ?? operation.path
    names.set(form, path)
    paths[path] = { ...paths[path], [operation.method.toLowerCase()]: describeOperation(operation, path) }
  }
  return paths
}

const tagsOf = (operations: readonly Operation[]): { name: string; description: string }[] => [
  ...[...new Set(operations.map(({ resource }) => resource))].map(({ name, about }) => ({ name, description: about })),
  feedTag,
]

/** The body of every error response. */
const errorSchema = {
  type: 'object',
  required: ['error', 'error_description'],
  properties: {
    error: { type: 'string', description: 'Error code, for programs.', example: 'not_found' },
    error_description: { type: 'string', description: 'The error and its fix, for people.', example: 'There is no such course.' },
    error_uri: {
      type: 'string',
      format: 'uri',
      description: 'Documentation of this error.',
      example: 'https://school.example/docs/errors#not_found',
    },
    request_id: {
      type: 'string',
      description: 'Identifies the request. Include it when you contact support.',
      example: 'req_01jgwejj00e6srgkpqm2sqf05m',
    },
    details: {
      type: 'array',
      description: 'Each invalid field or parameter.',
      items: {
        type: 'object',
        required: ['code', 'message'],
        properties: {
          field: { type: 'string', description: 'Path of the field, with dots.', example: 'price.amount' },
          code: { type: 'string', description: 'Code of the rule that it breaks.', example: 'min' },
          message: { type: 'string', description: 'The rule and the fix, for people.', example: 'price.amount: must be greater than 0' },
          meta: { type: 'object', description: 'Values of the rule, such as the minimum or the allowed values.' },
        },
      },
    },
  },
}
