import type { Language } from '../../lib/languages.ts'
import { accountPaths } from '../../policy/accountPaths.ts'
import type { School } from '../../policy/school.ts'
import { quotedName, type SendMessage, type TranslatedFacts } from '../../policy/sendMessage.ts'
import { signalSentence } from '../../policy/signalSentences.ts'
import { type AppSignal, takeUnreported } from '../../store/appSignals.ts'
import { clientNames } from '../../store/clients.ts'
import type { SchoolWriter } from '../../store/database.ts'
import { pageUrl } from '../accounts/createMailedLink.ts'
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
