import { z } from 'zod'
import type { Audience } from '../../policy/caller.ts'
import type { CollectionRead } from '../read/reading.ts'
import type { Area, ScopeText, ScopeVerb } from './area.ts'
import { defineResource } from './defineResource.ts'
import { everything, nothing } from './expressions.ts'
import type { Resource } from './resource.ts'

/** Figures and the like: what can be read and stands in no row of its own. */
export interface ReportsDeclaration<Verb extends ScopeVerb> {
  /** Where they stand under `/api/v1`. */
  name: string
  /** What one of them calls itself. */
  object: string
  about: string
  scopes: Readonly<Record<Verb, ScopeText>> | Area<Verb>
  /** Whom they are for at all; a report can be for fewer. */
  roles: readonly Exclude<Audience, 'anonymous'>[]
  /** By the end of their addresses; a member of it in braces is a parameter. */
  reports: Readonly<Record<string, CollectionRead<NoInfer<Verb>>>>
}

/** Makes a resource without rows: its operations are reads of the school as a whole, whose statements end when their time is up. */
export function defineReports<Verb extends ScopeVerb>({
  name,
  object,
  about,
  scopes,
  roles,
  reports,
}: ReportsDeclaration<Verb>): Resource<Verb> {
  const seenBy = (role: Exclude<Audience, 'anonymous'>) => (roles.includes(role) ? everything : nothing)
  return defineResource({
    name,
    object,
    idPrefix: 'sch',
    // What belongs to no row belongs to the school.
    table: 'school',
    about,
    scopes,
    singleton: true,
    schema: z.object({}),
    visibility: { anonymous: nothing, learner: seenBy('learner'), lecturer: seenBy('lecturer'), staff: seenBy('staff') },
    operations: {},
    collectionReads: Object.fromEntries(Object.entries(reports).map(([end, report]) => [end, { isHard: true, ...report } as const])),
  })
}
