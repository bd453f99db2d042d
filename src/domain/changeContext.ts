import type { Writer } from '../store/database.ts'

/** The transaction of a change, its school and its time. */
export interface ChangeContext {
  writer: Writer
  school: { id: string }
  now: Date
}
