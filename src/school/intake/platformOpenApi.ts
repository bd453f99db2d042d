import { objectOf } from '../../base/text/jsonValue.ts'
import { exampleObject } from '../../engine/declare/operations.ts'
import { inputSchema, publishedSchema, referenceTo } from '../../engine/output/publishedSchemas.ts'
import { errorSchema, errorSchemaName } from '../../engine/rest/errorSchema.ts'
import { addNamed, inputSuffix, type Json, withNamedSchemas } from '../../engine/rest/namedSchemas.ts'
import { errorComponents, errorResponses, ofBodies } from '../../engine/rest/openApiErrors.ts'
import { responseHeaders } from '../../engine/rest/openApiHeaders.ts'
import { usedComponents } from '../../engine/rest/usedComponents.ts'
import { platformOperations } from './platformOperations.ts'
import { type PlatformOperation, platformPath } from './runReport.ts'

const tags: Readonly<Record<PlatformOperation['tag'], string>> = {
  orders: "Orders of the school's checkout, and their payments.",
  comments: 'Comments that people write on the site of the school.',
  forms: 'The forms of the school.',
  form_submissions: 'Forms that people fill in on the site of the school.',
  rsvps: 'Seats of events that are sold elsewhere.',
}

const about = [
  "Other systems of the school report what happened there: a checkout its orders and payments, the school's site comments and form submissions, a ticket shop seats. The rules of the school apply as in its API.",
  'These URLs exist on the private port alone, and only if a key is configured. Never route them through the gateway.',
  '`reference` makes every report idempotent, without a limit of time: repeat a report that got no response.',
].join('\n\n')

export function platformOpenApi(): Record<string, unknown> {
  const schemas: Record<string, Json> = { [errorSchemaName]: errorSchema }
  for (const { output } of platformOperations)
    addNamed(schemas, output.name, objectOf(withNamedSchemas(publishedSchema(output.schema), schemas)))
  const paths = Object.fromEntries(
    platformOperations.map((operation) => [`${platformPath}${operation.path}`, { post: describe(operation, schemas) }] as const),
  )
  const components = usedComponents(paths, {
    schemas,
    responses: errorComponents(),
    headers: { ...responseHeaders, 'Idempotent-Replayed': replayed },
  })
  return {
    openapi: '3.0.3',
    info: { title: 'Platform intake', version: '1.0.0', description: about },
    servers: [{ url: '/', description: 'The private port.' }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    security: [{ platformKey: [] }],
    paths,
    components: {
      ...components,
      securitySchemes: { platformKey: { type: 'http', scheme: 'bearer', description: 'A value of PLATFORM_KEY.' } },
    },
  }
}

const replayed = { description: 'true if the response to an earlier report is repeated.', schema: { type: 'string' }, example: 'true' }

const errors = [
  'invalid_request',
  'invalid_token',
  'not_found',
  'invalid_state',
  'already_subscribed',
  'event_full',
  'coupon_unavailable',
  'coupon_already_used',
  'reference_reused',
  ...ofBodies,
  'temporarily_unavailable',
] as const

function describe(
  { id, tag, parameter, summary, description, successStatus, input, output }: PlatformOperation,
  schemas: Record<string, Json>,
): Json {
  return {
    operationId: id,
    summary,
    ...(description !== undefined && { description }),
    tags: [tag],
    ...(parameter && {
      parameters: [
        {
          name: parameter.name,
          in: 'path',
          required: true,
          description: parameter.description,
          schema: { type: 'string', pattern: parameter.form.source },
          example: parameter.example,
        },
      ],
    }),
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: withNamedSchemas(publishedSchema(inputSchema(input)), schemas, inputSuffix),
          example: exampleObject(input),
        },
      },
    },
    responses: {
      [successStatus]: {
        description: successStatus === 201 ? 'Created.' : 'Success.',
        headers: { 'Idempotent-Replayed': { $ref: '#/components/headers/Idempotent-Replayed' } },
        content: { 'application/json': { schema: { $ref: referenceTo(output.name) } } },
      },
      ...errorResponses(errors),
    },
  }
}
