import type { Operation } from '../../framework/declare/operations.ts'
import { changeFeedOf } from '../../framework/output/changeFeed.ts'
import { publishedSchemas } from '../../framework/output/publishedSchemas.ts'
import { paths } from '../schoolFacts.ts'
import { apiMd, resourcePaths } from './apiMd.ts'
import { changesMd } from './changesMd.ts'
import { errorsMd } from './errorsMd.ts'
import { resourceMd } from './resourceMd.ts'

/** The documents are built with this base address, which is replaced by that of the school. */
const marker = 'https://school.marker.invalid'

/** The documents about the API: the same text for every school, except for its address. */
export interface ApiDocuments {
  paths: readonly string[]
  /** Returns the document of a school at one of the paths. */
  textOf(path: string, issuer: string): string
}

/** Creates the documents about the operations. Each is built on its first request and held once for all schools. */
export function createApiDocuments(operations: readonly Operation[]): ApiDocuments {
  const resources = [...new Set(operations.map(({ resource }) => resource))]
  let schemas: ReturnType<typeof publishedSchemas> | undefined
  const builders = new Map<string, () => string>([
    [paths.apiMd, () => apiMd(operations, marker)],
    [paths.errorsMd, () => errorsMd(marker)],
    [resourcePaths('changes').document, () => changesMd(changeFeedOf(operations), marker)],
    ...resources.map((resource): [string, () => string] => [
      resourcePaths(resource.name).document,
      () => {
        schemas ??= publishedSchemas(operations)
        const own = operations.filter((operation) => operation.resource === resource)
        return resourceMd({ resource, operations: own, schemas, issuer: marker })
      },
    ]),
  ])
  const texts = new Map<string, string>()
  return {
    paths: [...builders.keys()],
    textOf(path, issuer) {
      const text = texts.get(path) ?? builders.get(path)?.()
      if (text === undefined) throw new Error(`no document has the path ${path}`)
      texts.set(path, text)
      return text.replaceAll(marker, issuer)
    },
  }
}
