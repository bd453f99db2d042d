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
