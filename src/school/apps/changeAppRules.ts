import type { SchoolReader, SchoolWriter } from '../../database/connection/database.ts'
import { raiseSignal } from '../../database/tables/appSignals.ts'
import { signalRules } from '../../database/tables/signals.ts'
import { type AppTerms, readAppRules, type SchoolAppRules, termsOf } from '../../identity/apps/schoolAppRules.ts'
import { agreeToUsed, findAppRules, findRuledClient, saveAppRules, shortenGrants } from '../../identity/apps/storedAppRules.ts'

export const appRules = async (database: SchoolReader): Promise<SchoolAppRules> => readAppRules(await findAppRules(database))

export const appTerms = async (database: SchoolReader, clientId: string): Promise<AppTerms> =>
  termsOf(await findRuledClient(database, clientId))

/**
 * Changes the rules. Accesses that are longer than the rules allow end earlier. If an owner has to agree from now on, the apps that people
 * use already count as agreed to. Returns the former rules.
 */
export async function changeAppRules(writer: SchoolWriter, rules: SchoolAppRules): Promise<SchoolAppRules> {
  const former = readAppRules(await findAppRules(writer, { isLocked: true }))
  await saveAppRules(writer, rules)
  if (rules.longest_days !== null) await shortenGrants(writer, rules.longest_days)
  if (rules.self_registered === 'owner_agrees' && former.self_registered !== 'owner_agrees') await agreeToUsed(writer)
  return former
}

/** Notes that a person wants to use a client to which an owner has to agree, so that the owners hear of it. */
export async function askOwners(writer: SchoolWriter, clientId: string): Promise<void> {
  await raiseSignal(writer, { client_id: clientId, kind: 'asked', counted: 1, ...signalRules.asked })
}
