import { z } from 'zod'
import type { RegisteredVia } from '../store/clients.ts'
import type { Role } from './caller.ts'

export const longestAccessDays = 365

/** What a school allows the apps that its people connect. Only its owners change it, on a page: no app can. */
export const schoolAppRules = z.object({
  /** Who may give access to apps that neither the school nor its operator set up. */
  self_registered: z.enum(['everybody', 'staff_read_only', 'owner_agrees', 'nobody']).catch('everybody'),
  /** Longest access of such an app; null for that of the operator. */
  longest_days: z.int().min(1).max(longestAccessDays).nullable().catch(null),
  /** Who decides whether such an app asks before it does what cannot be undone. */
  ask_first: z.enum(['person', 'always']).catch('person'),
  /** True if every app is paused that does something unusual: see appSignals.ts. */
  pause_unusual: z.boolean().catch(false),
})

export type SchoolAppRules = z.output<typeof schoolAppRules>

/** Reads the rules as the database has them. A member that is missing or unknown has its default. */
export const readAppRules = (stored: unknown): SchoolAppRules => schoolAppRules.parse(stored ?? {})

/** What the rules of a school mean for one app. */
export interface AppTerms {
  /** `staff_read`: staff can give it permissions to read only. `awaited`: an owner has to agree to it first. */
  access: 'full' | 'staff_read' | 'awaited' | 'none'
  longestDays: number | undefined
  asksFirst: boolean
  /** True if it is paused when it does something unusual. */
  isWatched: boolean
}

/** True if nobody can give access to the app now. */
export const isStopped = (access: AppTerms['access']): access is 'awaited' | 'none' => access === 'awaited' || access === 'none'

interface RuledClient {
  registered_via: RegisteredVia
  agreed_at: Date | null
}

/** Decides what a school allows an app. The pages, the tokens and the API have no other rule. */
export function termsOf({ registered_via, agreed_at }: RuledClient, rules: SchoolAppRules): AppTerms {
  const isWatched = rules.pause_unusual
  if (registered_via !== 'self' && registered_via !== 'document')
    return { access: 'full', longestDays: undefined, asksFirst: false, isWatched }
  const access = {
    everybody: 'full',
    staff_read_only: 'staff_read',
    owner_agrees: agreed_at === null ? 'awaited' : 'full',
    nobody: 'none',
  } as const satisfies Record<SchoolAppRules['self_registered'], AppTerms['access']>
  return {
    access: access[rules.self_registered],
    longestDays: rules.longest_days ?? undefined,
    asksFirst: rules.ask_first === 'always',
    isWatched,
  }
}

/**
 * Returns the scopes that a person of this role can give an app on these terms, of those that the role has. An app that is not allowed at all
 * keeps its scopes for the time when it is.
 */
export function withinTerms(
  scopes: readonly string[],
  { role, terms, isWrite }: { role: Role; terms: Pick<AppTerms, 'access'> | undefined; isWrite(scope: string): boolean },
): readonly string[] {
  return terms?.access === 'staff_read' && role !== 'learner' ? scopes.filter((scope) => !isWrite(scope)) : scopes
}
