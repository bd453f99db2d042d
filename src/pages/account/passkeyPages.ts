import { accountPaths } from '../../base/accountPaths.ts'
import { setUpPasskey } from '../../identity/factors/authenticatorApp.ts'
import { ownFactors } from '../../identity/factors/ownFactors.ts'
import { relyingParty } from '../../identity/factors/relyingParty.ts'
import { passkeyForm } from '../passkeyForm.ts'
import { newPasskeyForm, readNewPasskey } from '../secondFactor/newPasskey.ts'
import { seeOther } from '../seeOther.ts'
import { confirmedOrAway, setConfirmed } from './confirmation.ts'
import { withConfirmation } from './factorAccess.ts'
import { factorChanged } from './factorChanged.ts'
import type { OwnPage, OwnRequest } from './ownPage.ts'
import { showRecoveryCodes } from './recoveryCodesPage.ts'
import { ownerOf } from './securityPages.ts'
import { shellOf } from './showOwnPage.ts'
import { formSubject } from './signedInPerson.ts'

/** The page on which a person adds a passkey. It needs JavaScript and says so. */
export const passkeyPage: OwnPage<never> = {
  path: accountPaths.passkey,
  access: withConfirmation({
    open: (ctx, services) => confirmedOrAway(ctx, services, accountPaths.passkey),
    confirmedAt: accountPaths.passkey,
  }),
  show: (request) => showForm(request, { isFailed: false }),
  forms: {
    '': {
      async run(request) {
        const { ctx, services, person, accountId, sent } = request
        const { keyring } = services
        const passkey = await readNewPasskey(ctx, services, { accountId, form: sent })
        const saved = passkey && (await setUpPasskey(request.database, keyring, { ...ownerOf(request), ...passkey }))
        if (!saved) {
          ctx.status = 400
          await showForm(request, { isFailed: true })
          return undefined
        }
        await factorChanged(ctx, services, { accountId, change: 'passkey.added', details: { name: passkey.name } })
        setConfirmed(ctx, keyring, person, 'second factor')
        if (!saved.codes) return `${accountPaths.security}?done=passkey_added`
        await showRecoveryCodes(request, saved.codes)
        return undefined
      },
    },
  },
}

async function showForm(request: OwnRequest, { isFailed }: { isFailed: boolean }): Promise<void> {
  const { ctx, services, school, person, accountId } = request
  const { present, keyring } = services
  const party = relyingParty(school)
  if (!party) return seeOther(ctx, accountPaths.security)
  const { texts, schoolName } = await request.pageContext()
  const csrf = present.csrf.issue(ctx, formSubject(person))
  const { passkeys } = await ownFactors(request.reader, ownerOf(request))
  const account = { id: accountId, email: person.who.email, name: person.who.name }
  await present.show(ctx, 'account-factor', {
    title: texts.text('add_passkey.title'),
    ...(await shellOf(request, { section: accountPaths.security, heading: texts.text('add_passkey.heading') })),
    introduction: texts.text('add_passkey.introduction'),
    ...{ setup: { qr: undefined, codes: [] }, form: undefined, csrf },
    error: isFailed ? texts.text('add_passkey.failed') : '',
    passkey: passkeyForm(texts, present.views.passkeyScript, {
      ...{ action: accountPaths.passkey, hidden: [] },
      ...newPasskeyForm(ctx, { party, keyring, texts, schoolName, account, csrf, passkeys }),
    }),
    links: [{ href: accountPaths.security, label: texts.text('app_setup.cancel') }],
  })
}
