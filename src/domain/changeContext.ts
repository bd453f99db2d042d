import type { ExternalServices } from '../policy/externalServices.ts'
import type { SchoolWriter } from '../store/database.ts'

export interface ChangeContext {
  writer: SchoolWriter
  school: { id: string }
  now: Date
}

export interface RenderingContext {
  externalServices: Pick<ExternalServices, 'markup'>
}
