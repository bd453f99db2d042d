import { accountPaths } from '../../base/accountPaths.ts'
import type { School } from '../../base/school.ts'
import type { Language } from '../../base/text/languages.ts'
import type { SchoolWriter } from '../../database/connection/database.ts'
import { quotedName, type SendMessage, type TranslatedFacts } from '../../database/outbox/sendMessage.ts'
import { type AppSignal, takeUnreported } from '../../database/tables/appSignals.ts'
import { clientNames } from '../../database/tables/clients.ts'
import { signalSentence } from '../../engine/write/signalSentences.ts'
import { pageUrl } from '../../identity/accounts/createMailedLink.ts'
import { staffRecipients } from '../staff/staffRecipients.ts'

/** So many signals are in an e-mail; the page shows all. */
const maxShown = 20

/** E-mails the owners of a school about unusual apps. Returns the number of e-mails. Call it in a transaction. */
export async function notifyOwners(writer: SchoolWriter, { school, send }: { school: School; send: SendMessage }): Promise<number> {
  const signals = await takeUnreported(writer)
  if (signals.length === 0) return 0
  const owners = await staffRecipients(writer, ['owner'])
  const shown = signals.slice(0, maxShown)
  const names = await clientNames(writer, [...new Set(shown.map(({ client_id }) => client_id))])
  const values = { signals: factsOf(shown, names), school_apps: pageUrl(school, accountPaths.school) }
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
