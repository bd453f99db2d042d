import type { Operation } from '../framework/declare/operations.ts'
import { changeFeedOf } from '../framework/output/changeFeed.ts'
import { pageInfoSchema, publishedSchemas } from '../framework/output/publishedSchemas.ts'
import { webhookEvents } from '../framework/output/webhookEvents.ts'
import { errorSchema } from './errorSchema.ts'
import { errorComponents } from './openApiErrors.ts'
import { answerHeaders, requestHeaders } from './openApiHeaders.ts'
import { describeOperation, feedTag, requestBodies } from './openApiOperation.ts'
import { type Shareable, shareRepeats } from './sharedComponents.ts'
import { usedComponents } from './usedComponents.ts'

/** The part of the OpenAPI document that is the same for every school. */
export interface ApiDescription extends Shareable {
  tags: { name: string; description: string }[]
  /** The events that are sent to other systems. Only the whole document has them. */
  webhooks?: Record<string, unknown>
}

/** Returns the description of the operations, derived from the same declarations as the routes. */
export function apiDescription(operations: readonly Operation[]): ApiDescription {
  const schemas = publishedSchemas(operations)
  const whole = withUsed(pathsOf([...operations, changeFeedOf(operations)]), {
    schemas: { ...schemas, Paging: pageInfoSchema, Error: errorSchema },
    responses: errorComponents(),
    requestBodies: requestBodies(operations, schemas),
    parameters: requestHeaders,
    headers: answerHeaders,
  })
  const { paths, components } = shareRepeats(whole)
  return { tags: tagsOf(operations), ...withUsed(paths, components), webhooks: webhookEvents(operations) }
}

/** Returns the part of a description that is about one tag. It is complete: it contains every component that it refers to. */
export function describedTag({ tags, paths, components }: ApiDescription, tag: string): ApiDescription {
  const own = Object.entries(paths).flatMap(([path, methods]) => {
    const found = Object.entries(methods).filter(([, operation]) => (operation.tags as string[]).includes(tag))
    return found.length > 0 ? [[path, Object.fromEntries(found)] as const] : []
  })
  return { tags: tags.filter(({ name }) => name === tag), ...withUsed(Object.fromEntries(own), components) }
}

const withUsed = (paths: Shareable['paths'], components: Shareable['components']): Shareable => ({
  paths,
  components: usedComponents(paths, components),
})

/** Groups operations by path. Paths that differ only in the name of a parameter are one path. */
function pathsOf(operations: readonly (Operation | ReturnType<typeof changeFeedOf>)[]): Shareable['paths'] {
  const names = new Map<string, string>()
  const paths: Shareable['paths'] = {}
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
