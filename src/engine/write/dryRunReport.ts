import { z } from 'zod'
import type { Caller, PersonCaller } from '../../base/caller.ts'
import type { Problem } from '../../base/problem.ts'
import type { StoredRequest } from '../../database/tables/proposals.ts'
import { askReasons, type Effect } from '../../database/undo/effect.ts'
import { changesSchema, effectFigures, figuresOf, readerOf, visibleChanges } from './visibleChanges.ts'

/** The most changes that a report lists. */
const maxChanges = 50

export const dryRunSchema = z.object({
  status: z.int().meta({ description: 'Status of the response if the request were made in earnest.', example: 204 }),
  ...effectFigures,
  changes: changesSchema.meta({ description: `The first ${maxChanges} of them, with their values.` }),
  undo_days: z.int().meta({ description: 'For how many days it could be taken back; 0 if it could not be.', example: 30 }),
  asks: z
    .object({
      reason: z.enum(askReasons).meta({ description: 'Why the person decides first.', example: 'irreversible' }),
    })
    .nullable()
    .meta({ description: 'Not null if the request would be refused with approval_required, until the person has decided.', example: null }),
})

/** Returns the report in the response to a dry run. */
export const reportOf = (body: object) => dryRunSchema.parse('dry_run' in body ? body.dry_run : undefined)

export type Report = z.output<typeof dryRunSchema>

/** The status and the effect of a request. */
interface Tried {
  status: number
  effect: Effect | undefined
}

/** Returns the report on a request, as far as the caller may see its effect. */
export function reportOn({ status, effect }: Tried, caller: Caller): Omit<Report, 'asks'> {
  const changes = caller.kind === 'person' ? visibleChanges(effect?.changes ?? [], readerOf(caller)) : []
  return { status, ...figuresOf(effect), changes: changes.slice(0, maxChanges), undo_days: effect?.undoDays ?? 0 }
}

/** A request of a proposal with its effect now. */
export interface TriedRequest {
  position: number
  /** Undefined if it can no longer be made. */
  now: Tried | undefined
  problem: Problem | undefined
}

/** Returns requests with what they would change now, each after the earlier ones that can be made. Nothing is kept. */
export type ShowRequests = (caller: PersonCaller, requests: readonly StoredRequest[]) => Promise<TriedRequest[]>
