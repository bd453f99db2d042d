import type { ErrorObject } from 'ajv'
import type { Operation } from '../../src/engine/declare/operations.ts'
import { createRoutes } from '../../src/engine/rest/findRoute.ts'
import { operationsIn, resources } from '../../src/school/index.ts'
import { type Target, targetsOf } from '../../verification/fuzz/openApiTargets.ts'
import { openApiDocument, schemaValidators } from '../support/openApi.ts'

/** A request and its response. */
export interface Exchange {
  method: string
  /** With the query. */
  path: string
  /** The media type and the text of the body; undefined if there is none, or bytes. */
  sent: Content | undefined
  status: number
  received: Content
}

interface Content {
  type: string
  text: string
}

/** Exchanges that the document does not describe exactly, by operation and status. They are not checked. */
const inexact: Readonly<Record<string, string>> = {
  'updatePlan 200': 'null in a patch resets a member to its default, and the schema has no null for such members',
  'updateCoupon 200': 'a patch of `discount` may clear the members of its other type, and the schema has only those of one type',
  'updatePage 200': 'the URL of a block may have characters, such as quotes, that the format `uri` does not allow',
}

/** Returns how an exchange differs from the published document, one sentence for each difference. */
export type TrafficCheck = (exchange: Exchange) => string[]

/**
 * Creates the check of the traffic of these operations. The body and the query of a request with a 2xx response must be as published, and so
 * must every response, its error code included. Only JSON is checked. Requests without an operation and responses without a body are not, nor
 * are the members of rows that `fields` or `expand` chose: the document describes the rows without these parameters.
 */
function createTrafficCheck(operations: readonly Operation[]): TrafficCheck {
  const facts = { issuer: 'https://school.example', name: 'School', contactEmail: null, supportUrl: null }
  const document = openApiDocument({ operations, scopes: [] }, facts)
  const validatorOf = schemaValidators(document)
  const routes = createRoutes<Target>()
  for (const target of targetsOf(document)) routes.add(target.method, target.path, target)

  const differences = (
    schema: object | undefined,
    { type, text }: Content,
    isAccepted: (error: ErrorObject) => boolean = () => false,
  ): string[] => {
    if (!schema) return [`: ${type} is not described`]
    const isValid = validatorOf(schema)
    return isValid(JSON.parse(text)) ? [] : (isValid.errors ?? []).filter((error) => !isAccepted(error)).map(sentenceOf)
  }

  function ofRequest({ id, parameters, bodies, responses }: Target, { path, sent }: Exchange): string[] {
    const names = parameters.flatMap(({ name, in: place }) => (place === 'query' ? [name] : []))
    const unknown = [...queryOf(path).keys()].filter((name) => !names.includes(name))
    // Bulk operations accept a request with wrong items, and report them in the response.
    const isAccepted = (error: ErrorObject): boolean =>
      isOtherSpelling(error) || (responses.has('207') && /^\/\w+\/\d+/.test(error.instancePath))
    const found = isJson(sent) ? differences(new Map(bodies).get(sent.type), sent, isAccepted) : []
    return [
      ...unknown.map((name) => `${id}: the query parameter ${name} is not described`),
      ...found.map((difference) => `${id}: request body${difference}`),
    ]
  }

  function ofResponse({ id, responses, errorCodes }: Target, { path, status, received }: Exchange): string[] {
    const described = responses.has(String(status)) ? String(status) : 'default'
    if (status < 400 && described === 'default') return [`${id} ${status}: the status is not described`]
    const query = queryOf(path)
    if (!isJson(received) || (status < 400 && (query.has('fields') || query.has('expand')))) return []
    const found = differences(responses.get(described)?.get(received.type), received)
    const code = String(JSON.parse(received.text).error)
    const isKnown = status < 400 || errorCodes.get(described)?.has(code)
    return [
      ...found.map((difference) => `${id} ${status}: response body${difference}`),
      ...(isKnown ? [] : [`${id} ${status}: the error code ${code} is not described`]),
    ]
  }

  return (exchange) => {
    const { method, path, status } = exchange
    const target = routes.find(method, path.replace(/\?.*$/s, ''))?.handler
    if (!target || status === 304 || Object.hasOwn(inexact, `${target.id} ${status}`)) return []
    const isSuccess = status >= 200 && status < 300
    return [...(isSuccess ? ofRequest(target, exchange) : []), ...(method === 'HEAD' ? [] : ofResponse(target, exchange))]
  }
}

/** Slugs and e-mail addresses may be sent in another spelling; they are stored and returned as published. */
const isOtherSpelling = ({ instancePath, keyword, params }: ErrorObject): boolean =>
  (keyword === 'pattern' && /\/(slug|country|phone)$/.test(instancePath)) || (keyword === 'format' && params.format === 'email')

const queryOf = (path: string): URLSearchParams => new URL(path, 'http://localhost').searchParams

/** A merge patch is JSON, too. */
const isJson = (content: Content | undefined): content is Content =>
  content !== undefined && content.text !== '' && /^application\/([\w-]+\+)?json$/.test(content.type)

const sentenceOf = ({ instancePath, message, params }: ErrorObject): string =>
  `${instancePath && ` at ${instancePath}`}: ${message} ${JSON.stringify(params)}`

const ofProduct = operationsIn(resources)
const resourceById = new Map(ofProduct.map(({ id, resource }) => [id, resource]))
let checkOfProduct: TrafficCheck | undefined

/** Returns the check of the operations. That of the product is created once: it takes half a second. */
export function trafficCheckOf(operations: readonly Operation[]): TrafficCheck {
  if (operations.some(({ id, resource }) => resourceById.get(id) !== resource)) return createTrafficCheck(operations)
  checkOfProduct ??= createTrafficCheck(ofProduct)
  return checkOfProduct
}
