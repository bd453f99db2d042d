import type { Operation } from '../framework/declare/operations.ts'
import type { ScopeEntry } from '../framework/declare/scopeCatalogue.ts'
import type { School } from '../policy/school.ts'

/** The parts of the API description that differ between schools. */
export interface OpenApiFacts {
  issuer: string
  name: string
  contactEmail: string | null
  supportUrl: string | null
}

export interface OpenApiArguments {
  operations: readonly Operation[]
  scopes: readonly ScopeEntry[]
  /** Returns the current facts of the school. */
  facts(school: School): Promise<Omit<OpenApiFacts, 'issuer'>>
}
