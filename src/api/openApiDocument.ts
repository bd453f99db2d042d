import { changeFeedOf } from '../kit/changeFeed.ts'
import type { Operation } from '../kit/operations.ts'
import { pageInfoSchema, publishedSchemas } from '../kit/publishedSchemas.ts'
import type { OpenApiArguments } from './openApi.ts'
import { describeOperation } from './openApiOperation.ts'

/** The whole API as OpenAPI 3.0, derived from the declarations that the routes derive from. */
export function openApiDocument({ operations, scopes }: OpenApiArguments, issuer: string): Record<string, unknown> {
  const feed = changeFeedOf(operations)
  return {
    openapi: '3.0.3',
    info: {
      title: 'School API',
      version: '1',
      description:
        'The resources of one school. Without a token the public view is served; a token opens what its scopes and the role of its person allow.',
    },
    servers: [{ url: issuer }],
    tags: tagsOf(operations),
    paths: pathsOf([...operations, feed]),
    components: {
      schemas: { ...publishedSchemas(operations), Page: pageInfoSchema, Error: errorSchema },
      securitySchemes: {
        oauth2: {
          type: 'oauth2',
          description: 'Authorization code with PKCE (S256). Clients register themselves.',
          flows: {
            authorizationCode: {
              authorizationUrl: `${issuer}/oauth/authorize`,
              tokenUrl: `${issuer}/api/oauth/token`,
              refreshUrl: `${issuer}/api/oauth/token`,
              scopes: Object.fromEntries(scopes.map(({ name, sentence }) => [name, sentence])),
            },
          },
        },
        openIdConnect: { type: 'openIdConnect', openIdConnectUrl: `${issuer}/.well-known/openid-configuration` },
      },
    },
  }
}

/** Paths that differ in a parameter's name alone are one path. */
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

const tagsOf = (operations: readonly Operation[]): { name: string; description: string }[] =>
  [...new Set(operations.map(({ resource }) => resource))].map(({ name, about }) => ({ name, description: about }))

const errorSchema = {
  type: 'object',
  required: ['error', 'error_description'],
  properties: {
    error: { type: 'string', description: 'What is wrong, for programs.', example: 'not_found' },
    error_description: { type: 'string', description: 'What is wrong and the way out, for people.', example: 'There is no such course.' },
    error_uri: { type: 'string', description: 'Where more is said.', example: 'https://school.example/docs/errors' },
    request_id: {
      type: 'string',
      description: 'Names the request to whoever runs the service.',
      example: 'req_01jgwejj00e6srgkpqm2sqf05m',
    },
    details: {
      type: 'array',
      description: 'Each faulty field or parameter.',
      items: {
        type: 'object',
        required: ['code', 'message'],
        properties: {
          field: { type: 'string', description: 'Field, with dots into objects.', example: 'price.amount' },
          code: { type: 'string', description: 'What is wrong with it.', example: 'min' },
          message: { type: 'string', description: 'The same in words.', example: 'price.amount: must be greater than 0' },
          meta: { type: 'object', description: 'What would be right.' },
        },
      },
    },
  },
}
