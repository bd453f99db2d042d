import type { Operation } from '../framework/declare/operations.ts'
import type { ChangeFeed } from '../framework/output/changeFeed.ts'
import { referenceTo } from '../framework/output/publishedSchemas.ts'
import { keysOf } from '../lib/keysOf.ts'
import { problems } from '../lib/problem.ts'
import { headersNamed } from './openApiHeaders.ts'

/** The errors of every operation refer to one response, which lists the codes by status: repeated per operation, they would be a tenth of the document. */
export const errorResponses = { '4XX': { $ref: '#/components/responses/Error' } } as const

/** Errors of registration and of the token endpoint, which no operation of the API returns. */
const ofOAuth: readonly string[] = ['invalid_redirect_uri', 'invalid_client_metadata', 'invalid_client']

/** Returns the response of every error. */
export function errorComponents(): Record<'Error', Record<string, unknown>> {
  const codes = keysOf(problems)
    .filter((code) => !ofOAuth.includes(code))
    .toSorted((left, right) => problems[left].status - problems[right].status)
  const byStatus = Map.groupBy(codes, (code) => problems[code].status)
  const lines = [...byStatus].map(([status, own]) => `- ${status}: ${own.map((code) => `\`${code}\``).join(', ')}`)
  return {
    Error: {
      description: `The code in \`error\` says what is wrong, \`error_description\` how to correct it. 500 and 503 have the same form.\n\n${lines.join('\n')}`,
      headers: headersNamed('Request-Id', 'WWW-Authenticate', 'ETag', 'Retry-After', 'RateLimit', 'RateLimit-Policy'),
      content: {
        'application/json': {
          schema: { $ref: referenceTo('Error') },
          example: {
            error: 'not_found',
            error_description: problems.not_found.description,
            request_id: 'req_01jgwejj00e6srgkpqm2sqf05m',
          },
        },
      },
    },
  }
}

/** True if the operation accepts an Idempotency-Key. Reads by POST do not: they change no data. */
export const takesKey = (operation: Operation | ChangeFeed): boolean =>
  operation.method === 'POST' && !('kind' in operation && (operation.kind === 'read' || operation.kind === 'collectionRead'))
