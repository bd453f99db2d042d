import type { Context } from 'koa'
import { languages } from '../../lib/languages.ts'
import { type Reader, readerOf } from '../../policy/permissionSentences.ts'
import { quotedName, type TranslatedText } from '../../policy/sendMessage.ts'
import type { ConsentScope } from '../consentScope.ts'
import type { NotifyPerson } from '../notifyPerson.ts'
import type { OpenInteraction } from '../openInteraction.ts'
import type { ConsentingPerson } from '../pagesArguments.ts'
import { plainText } from '../plainText.ts'
import { createTexts } from '../texts.ts'

/** So many permissions are listed in an e-mail; the others are counted. */
const mostListed = 8

/** E-mails a person that an app got access to their account for the first time. */
export async function notifyOfApp(
  ctx: Context,
  { scopes, notify }: { scopes: readonly ConsentScope[]; notify: NotifyPerson },
  { open, person, granted }: { open: OpenInteraction; person: ConsentingPerson; granted: readonly string[] },
): Promise<void> {
  const { accountId, role } = person
  const names = new Set(granted)
  const permissions = permissionsLine(
    scopes.filter(({ name }) => names.has(name)),
    readerOf(role),
  )
  // An app without a name is identified by its id.
  const app = quotedName(plainText(open.clientName || open.clientId, 60))
  const { origin } = open
  if (origin?.registeredVia === 'integration') return notify(ctx, accountId, 'app_connected_approved', { app, permissions })
  const imitated = (await open.imitated()) ?? open.claimedRole
  if (imitated !== undefined) return notify(ctx, accountId, 'app_connected_imitating', { app, permissions, imitated: quotedName(imitated) })
  if (origin?.registeredVia === 'document')
    return notify(ctx, accountId, 'app_connected_website', { app, permissions, host: quotedName(origin.host) })
  return notify(ctx, accountId, 'app_connected', { app, permissions })
}

/** Returns the sentences of the consent page in one line, in every language. */
function permissionsLine(scopes: readonly ConsentScope[], reader: Reader): TranslatedText {
  const lines = languages.map((language) => {
    const texts = createTexts(language)
    const sentences = scopes.map((scope) => texts.sentence(scope, reader))
    const more = sentences.length - mostListed
    const listed = more > 0 ? [...sentences.slice(0, mostListed), texts.counted('email.more_permissions', more)] : sentences
    return [language, `${listed.join('; ')}.`] as const
  })
  return Object.fromEntries(lines) as TranslatedText
}
