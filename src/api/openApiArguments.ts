import type { Operation } from '../framework/declare/operations.ts'
import type { ScopeEntry } from '../framework/declare/scopeCatalogue.ts'
import type { School } from '../policy/school.ts'

/** What differs between the descriptions of two schools. */
export interface OpenApiFacts {
  issuer: string
  name: string
  contactEmail: string | null
  supportUrl: string | null
}

export interface OpenApiArguments {
  operations: readonly Operation[]
  scopes: readonly ScopeEntry[]
  /** The school as it calls itself now. */
  facts(school: School): Promise<Omit<OpenApiFacts, 'issuer'>>
}
