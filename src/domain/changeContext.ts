import type { ExternalServices } from '../policy/externalServices.ts'
import type { Writer } from '../store/database.ts'

/** The transaction of a change, its school and its time. */
export interface ChangeContext {
  writer: Writer
  school: { id: string }
  now: Date
}

/** The renderer of the rich texts of a change. */
export interface RenderingContext {
  externalServices: Pick<ExternalServices, 'markup'>
}
