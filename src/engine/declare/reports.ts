import { z } from 'zod'
import type { Audience } from '../../base/caller.ts'
import type { CollectionRead } from '../read/reading.ts'
import type { Area, ScopeText, ScopeVerb } from './area.ts'
import { defineResource } from './defineResource.ts'
import { everything, nothing } from './expressions.ts'
import type { Resource } from './resource.ts'

/** The declaration of reports: figures and other data that are computed and not stored in rows. */
export interface ReportsDeclaration<Verb extends ScopeVerb> {
  /** The path under `/api/v1`. */
  name: string
  object: string
  about: string
  scopes: Readonly<Record<Verb, ScopeText>> | Area<Verb>
  /** The roles that can read the reports. A single report can narrow them. */
  roles: readonly Exclude<Audience, 'anonymous'>[]
  /** The reports by the end of their path; a segment in braces is a parameter. */
  reports: Readonly<Record<string, CollectionRead<NoInfer<Verb>>>>
}

/** Returns a resource without rows: its operations read data of the whole school, and their statements have a time limit. */
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
    // Reports belong to the school.
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
