import type { Operation } from '../../framework/declare/operations.ts'
import type { Resource } from '../../framework/declare/resource.ts'
import type { JsonSchema } from '../../framework/output/publishedSchemas.ts'

/** The content of the document of one resource. */
export interface ResourceFacts {
  resource: Resource
  /** The operations of the resource. */
  operations: readonly Operation[]
  /** The published schemas of all resources and bodies by name. */
  schemas: Readonly<Record<string, JsonSchema>>
  issuer: string
}
