import type { ScopeEntry } from '../framework/declare/scopeCatalogue.ts'
import type { School } from '../policy/school.ts'
import type { ApiDescription } from './apiDescription.ts'

/** The parts of the API description that differ between schools. */
export interface OpenApiFacts {
  issuer: string
  name: string
  contactEmail: string | null
  supportUrl: string | null
}

export interface OpenApiArguments {
  /** Returns the part of the description that is the same for every school. */
  description(): ApiDescription
  scopes: readonly ScopeEntry[]
  /** Returns the current facts of the school. */
  facts(school: School): Promise<Omit<OpenApiFacts, 'issuer'>>
}
