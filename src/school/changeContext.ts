import type { PersonCaller } from '../base/caller.ts'
import type { School } from '../base/school.ts'
import type { SchoolWriter } from '../database/connection/database.ts'
import type { ExternalServices } from '../engine/externalServices.ts'

export interface ChangeContext {
  writer: SchoolWriter
  school: { id: string }
  now: Date
}

export interface RenderingContext {
  externalServices: Pick<ExternalServices, 'markup'>
}

/** A change that a person requests, and the services that it needs. */
export interface CallerContext<Service extends keyof ExternalServices = keyof ExternalServices> {
  writer: SchoolWriter
  school: School
  caller: PersonCaller
  now: Date
  externalServices: Pick<ExternalServices, Service>
}
