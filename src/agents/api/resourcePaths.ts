import type { Operation } from '../../engine/declare/operations.ts'
import { paths } from '../schoolFacts.ts'

export const resourcePaths = (name: string) => ({ document: `/docs/${name}.md`, openApi: `/openapi/${name}.json` })

/** The documents about the operations depend on the code alone, except for the issuer. */
export const placeOfIssuer = 'https://school.marker.invalid'

/** Returns the paths of the documents about the operations. */
export const apiDocumentPaths = (operations: readonly Operation[]): string[] => [
  paths.apiMd,
  paths.errorsMd,
  ...['changes', ...new Set(operations.map(({ resource }) => resource.name))].map((name) => resourcePaths(name).document),
]
