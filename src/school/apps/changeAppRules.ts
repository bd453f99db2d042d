import { accountPaths } from '../../base/accountPaths.ts'
import type { School } from '../../base/school.ts'
import type { Language } from '../../base/text/languages.ts'
import type { SchoolReader, SchoolWriter } from '../../database/connection/database.ts'
import { quotedName, type SendMessage, type TranslatedFacts } from '../../database/outbox/sendMessage.ts'
import { type AppSignal, raiseSignal, takeUnreported } from '../../database/tables/appSignals.ts'
import { clientNames } from '../../database/tables/clients.ts'
import { signalRules } from '../../database/tables/signals.ts'
import { signalSentence } from '../../engine/write/signalSentences.ts'
import { pageUrl } from '../../identity/accounts/createMailedLink.ts'
import { type AppTerms, readAppRules, type SchoolAppRules, termsOf } from '../../identity/apps/schoolAppRules.ts'
import { agreeToUsed, findAppRules, findRuledClient, saveAppRules, shortenGrants } from '../../identity/apps/storedApps.ts'
import { staffRecipients } from '../staff/staffRecipients.ts'

export const appRules = async (database: SchoolReader): Promise<SchoolAppRules> => readAppRules(await findAppRules(database))

export const appTerms = async (database: SchoolReader, clientId: string): Promise<AppTerms> =>
  termsOf(await findRuledClient(database, clientId))

/**
 * Changes the rules. Accesses that are longer than the rules allow end earlier. If an owner has to agree from now on, the apps that people
 * use already count as agreed to. The allowed apps stay: they have their own operations. Returns the former rules.
 */
export async function changeAppRules(writer: SchoolWriter, rules: SchoolAppRules): Promise<SchoolAppRules> {
  const former = readAppRules(await findAppRules(writer, { isLocked: true }))
  await saveAppRules(writer, { ...rules, allowed_apps: former.allowed_apps })
  if (rules.longest_days !== null) await shortenGrants(writer, rules.longest_days)
  if (rules.self_registered === 'owner_agrees' && former.self_registered !== 'owner_agrees') await agreeToUsed(writer)
  return former
}

/** Notes that a person wants to use a client to which an owner has to agree, so that the owners hear of it. */
export async function askOwners(writer: SchoolWriter, clientId: string): Promise<void> {
  await raiseSignal(writer, { client_id: clientId, kind: 'asked', counted: 1, ...signalRules.asked })
}

/** So many signals are in an e-mail; the page shows all. */
const maxShown = 20

/** E-mails the owners of a school about unusual apps. Returns the number of e-mails. Call it in a transaction. */
export async function notifyOwners(writer: SchoolWriter, { school, send }: { school: School; send: SendMessage }): Promise<number> {
  const signals = await takeUnreported(writer)
  if (signals.length === 0) return 0
  const owners = await staffRecipients(writer, ['owner'])
  const shown = signals.slice(0, maxShown)
  const names = await clientNames(writer, [...new Set(shown.map(({ client_id }) => client_id))])
  const values = { signals: factsOf(shown, names), school_apps: pageUrl(school, accountPaths.schoolApps) }
  await send(writer, school, owners, 'apps_unusual', values)
  return owners.length
}

function factsOf(signals: readonly AppSignal[], names: ReadonlyMap<string, string>): TranslatedFacts {
  const inLanguage = (language: Language) =>
    signals.map((signal) => ({
      label: quotedName(names.get(signal.client_id) ?? signal.client_id),
      value: signalSentence(signal)[language],
    }))
  return { en: inLanguage('en'), de: inLanguage('de') }
}
