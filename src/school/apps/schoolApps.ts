import type { SchoolReader } from '../../database/connection/database.ts'
import { countAppCalls, countAppChanges, listSignals, type ShownSignal } from '../../database/tables/appSignals.ts'
import { scopesOf } from '../../identity/accounts/connectedApps.ts'
import { type AppTerms, termsOf } from '../../identity/apps/schoolAppRules.ts'
import { findAppRules, listGrantedContents, listSchoolApps, type SchoolAppKind, type SchoolAppRow } from '../../identity/apps/storedApps.ts'
import { type ClientSource, originOf } from '../../identity/clients/clientOrigin.ts'

/** Figures of an app over the last seven days. */
export interface AppFigures {
  /** Requests that changed something. */
  changes: number
  /** Objects that they deleted. */
  deletions: number
  /** Rows about other people in the responses. */
  peopleRows: number
  /** Calls that were answered with an error. */
  refused: number
}

export interface SchoolApp {
  clientId: string
  /** The name that the client gave itself or that the operator gave it. */
  name: unknown
  origin: ClientSource & { createdAt: Date }
  redirectUris: unknown[]
  isConfidential: boolean
  people: number
  grants: number
  lastUsedAt: Date | undefined
  /** When the last access to it ends. */
  endsAt: Date | undefined
  scopes: ReadonlySet<string>
  /** The side that disabled the client; undefined if it is enabled. Only those whom the school disabled can be enabled by the school. */
  disabledBy: 'school' | 'operator' | undefined
  /** When the school paused it; undefined if it is not paused. */
  pausedAt: Date | undefined
  terms: AppTerms
  /** The signals of the last seven days, the newest first. */
  signals: ShownSignal[]
}

/** The figures and signals of apps are those of so many days. */
const figureDays = 7

/** Returns one page of the clients of a school, those with the most people first. `isMore` is true if another page follows. */
export async function schoolApps(
  database: SchoolReader,
  { kind, page, size }: { kind: SchoolAppKind; page: number; size: number },
): Promise<{ apps: SchoolApp[]; isMore: boolean }> {
  const rows = await listSchoolApps(database, database.schoolId, { kind, offset: (page - 1) * size, limit: size + 1 })
  return { apps: await present(database, rows.slice(0, size)), isMore: rows.length > size }
}

/** Returns one client of a school, also one without access and one that is disabled. */
export async function findSchoolApp(database: SchoolReader, clientId: string): Promise<SchoolApp | undefined> {
  if (!/^[\x21-\x7e]{1,500}$/.test(clientId)) return undefined
  const rows = await listSchoolApps(database, database.schoolId, { clientId, offset: 0, limit: 1 })
  return (await present(database, rows))[0]
}

async function present(database: SchoolReader, shown: readonly SchoolAppRow[]): Promise<SchoolApp[]> {
  const clientIds = shown.map(({ id }) => id)
  const [rules, signals] = [await findAppRules(database), await listSignals(database, clientIds, figureDays)]
  const contents = await listGrantedContents(
    database,
    database.schoolId,
    shown.filter(({ grants }) => grants > 0).map(({ id }) => id),
  )
  const scopes = Map.groupBy(contents, ({ client_id: id }) => id)
  return shown.map(
    ({ id, metadata, registered_via: via, created_at: createdAt, disabled_at, disabled_by, paused_at, agreed_at, ...row }) => ({
      clientId: id,
      name: metadata.client_name,
      origin: { ...originOf(id, via), createdAt },
      redirectUris: Array.isArray(metadata.redirect_uris) ? metadata.redirect_uris : [],
      isConfidential: metadata.client_secret !== undefined,
      people: row.people,
      grants: row.grants,
      lastUsedAt: row.last_used_at ?? undefined,
      endsAt: row.ends_at ?? undefined,
      scopes: new Set((scopes.get(id) ?? []).flatMap(({ payload }) => [...scopesOf(payload)])),
      disabledBy: disabled_at === null ? undefined : disabled_by === 'school' ? ('school' as const) : ('operator' as const),
      pausedAt: paused_at ?? undefined,
      terms: termsOf({ registered_via: via, agreed_at, metadata, app_rules: rules }),
      signals: signals.filter(({ client_id }) => client_id === id),
    }),
  )
}

/** Returns what apps did in the last seven days, by client. `showsPeople` is true for operations whose responses are about other people. */
export async function appFigures(
  database: SchoolReader,
  clientIds: readonly string[],
  showsPeople: (operation: string) => boolean,
): Promise<(clientId: string) => AppFigures> {
  const [changes, calls] = await Promise.all([
    countAppChanges(database, clientIds, figureDays),
    countAppCalls(database, clientIds, figureDays),
  ])
  return (clientId) => {
    const { changes: changed, deletions } = changes.find(({ client_id }) => client_id === clientId) ?? { changes: 0, deletions: 0 }
    const own = calls.filter(({ client_id }) => client_id === clientId)
    const sum = (of: (call: (typeof own)[number]) => number): number => own.reduce((total, call) => total + of(call), 0)
    return {
      ...{ changes: changed, deletions },
      peopleRows: sum(({ operation, rows }) => (showsPeople(operation) ? rows : 0)),
      refused: sum(({ refused }) => refused),
    }
  }
}
