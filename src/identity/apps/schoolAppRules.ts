import type { AppRules, Role, Thresholds } from '../../base/caller.ts'
import { isObject } from '../../base/text/jsonValue.ts'
import type { RegisteredVia } from '../../database/tables/clients.ts'

/** The rules of a school for the apps that its people connect. Only its owners change them, on a page: no app can. */
export interface SchoolAppRules {
  /** The people who can connect self-registered apps: those that neither the school nor its operator set up. */
  self_registered: 'everybody' | 'staff_read_only' | 'owner_agrees' | 'nobody'
  /** Longest access of such an app in days; null for that of the operator. */
  longest_days: number | null
  /** The side that decides whether such an app asks before it does what cannot be undone. */
  ask_first: 'person' | 'always'
  /** True if every app is paused that does something unusual: see appSignals.ts. */
  pause_unusual: boolean
  /** Every app asks before a request that exceeds one of these. */
  ask_above: Thresholds
  /** True if another owner or admin than the one behind an app decides about its deletions. */
  second_person: boolean
  /** Client ids of the apps that an owner has allowed to identify themselves by a document. */
  allowed_apps: string[]
}

export const thresholdNames = ['rows', 'people', 'amount'] as const satisfies (keyof Thresholds)[]
export const maxThreshold = 100_000_000

export const longestAccessDays = 365

const accesses: readonly unknown[] = [
  'everybody',
  'staff_read_only',
  'owner_agrees',
  'nobody',
] satisfies SchoolAppRules['self_registered'][]

export const isSelfRegisteredRule = (value: unknown): value is SchoolAppRules['self_registered'] => accesses.includes(value)

const isDays = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= longestAccessDays

const isThreshold = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= maxThreshold

function readThresholds(stored: unknown): Thresholds {
  const { rows, people, amount } = isObject(stored) ? stored : {}
  const read = (value: unknown) => (isThreshold(value) ? value : null)
  return { rows: read(rows), people: read(people), amount: read(amount) }
}

/** Reads the rules as the database has them. A member that is missing or unknown has its default. */
export function readAppRules(stored: unknown): SchoolAppRules {
  const { self_registered, longest_days, ask_first, pause_unusual, ask_above, second_person, allowed_apps } = isObject(stored) ? stored : {}
  return {
    self_registered: isSelfRegisteredRule(self_registered) ? self_registered : 'everybody',
    longest_days: isDays(longest_days) ? longest_days : null,
    ask_first: ask_first === 'always' ? 'always' : 'person',
    pause_unusual: pause_unusual === true,
    ask_above: readThresholds(ask_above),
    second_person: second_person === true,
    allowed_apps: Array.isArray(allowed_apps) ? allowed_apps.map(String) : [],
  }
}

export interface AppTerms extends AppRules {
  /** `staff_read`: staff can give it permissions to read only. `awaited`: an owner has to agree to it first. */
  access: 'full' | 'staff_read' | 'awaited' | 'none'
  longestDays: number | undefined
  asksFirst: boolean
  /** True if it is paused when it does something unusual. */
  isWatched: boolean
}

/** True if the app cannot be connected or used at the moment. */
export const isStopped = (access: AppTerms['access']): access is 'awaited' | 'none' => access === 'awaited' || access === 'none'

/** The columns that decide about a client. */
export interface RuledClient {
  registered_via: RegisteredVia
  agreed_at: Date | null
  metadata: Record<string, unknown>
  /** The column of its school. */
  app_rules: unknown
}

/** Decides what a school allows an app. The pages, the tokens and the API have no other rule. */
export function termsOf({ registered_via, agreed_at, metadata, app_rules }: RuledClient): AppTerms {
  const rules = readAppRules(app_rules)
  const ofEveryApp = { isWatched: rules.pause_unusual, askAbove: rules.ask_above, needsSecond: rules.second_person }
  if (registered_via !== 'self' && registered_via !== 'document')
    return { access: 'full', longestDays: undefined, asksFirst: false, ...ofEveryApp }
  const access: Record<SchoolAppRules['self_registered'], AppTerms['access']> = {
    everybody: 'full',
    staff_read_only: 'staff_read',
    owner_agrees: agreed_at === null ? 'awaited' : 'full',
    nobody: 'none',
  }
  // The document of such a client is accepted only as long as an owner allows it.
  const isWithdrawn = metadata.accepted_by === 'school' && !rules.allowed_apps.includes(String(metadata.client_id))
  return {
    access: isWithdrawn ? 'none' : access[rules.self_registered],
    longestDays: rules.longest_days ?? undefined,
    asksFirst: rules.ask_first === 'always',
    ...ofEveryApp,
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
