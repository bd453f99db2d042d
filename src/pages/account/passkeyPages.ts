import type { Context, Middleware } from 'koa'
import { createChallenge } from '../../domain/secondFactors/challenges.ts'
import { ownFactors } from '../../domain/secondFactors/ownFactors.ts'
import { passkeyName } from '../../domain/secondFactors/ownPasskeys.ts'
import { registrationOptions } from '../../domain/secondFactors/passkeyOptions.ts'
import { parsePasskeyResponse } from '../../domain/secondFactors/passkeyResponse.ts'
import { savePasskey, verifyRegistration } from '../../domain/secondFactors/passkeys.ts'
import { renewRecoveryCodes } from '../../domain/secondFactors/recoveryCodes.ts'
import { relyingParty } from '../../domain/secondFactors/relyingParty.ts'
import { browserName } from '../../lib/browserName.ts'
import { accountPaths } from '../../policy/accountPaths.ts'
import { submittedForm } from '../formBody.ts'
import { requireOwnForm } from '../ownForm.ts'
import { passkeyForm } from '../passkeyForm.ts'
import { seeOther } from '../seeOther.ts'
import type { AccountArguments } from './accountArguments.ts'
import type { AccountPresenter } from './accountPresenter.ts'
import { confirmedOrAway, setConfirmed } from './confirmation.ts'
import { factorChanged } from './factorChanged.ts'
import type { OwnPages } from './ownPage.ts'
import { showRecoveryCodes } from './recoveryCodesPage.ts'
import { formSubject, type SignedInPerson } from './signedInPerson.ts'

/** The page on which a person adds a passkey. It needs JavaScript and says so. */
export function passkeyPages(args: AccountArguments, present: AccountPresenter, pages: OwnPages): { show: Middleware; answer: Middleware } {
  const showForm = async (ctx: Context, person: SignedInPerson, { isFailed }: { isFailed: boolean }): Promise<void> => {
    const { school } = ctx.state
    const party = relyingParty(school)
    if (!party) return seeOther(ctx, accountPaths.security)
    const { texts, schoolName } = await present.pageContext(ctx, accountPaths.passkey)
    const { accountId, who } = person
    const csrf = present.csrf.issue(ctx, formSubject(person))
    const { passkeys } = await ownFactors(args.database.kysely, { schoolId: school.id, accountId })
    const options = registrationOptions(party, {
      challenge: createChallenge(args.keyring, { schoolId: school.id, purpose: 'registration', accountId, browser: csrf }),
      account: { id: accountId, email: who.email, name: who.name },
      ...{ schoolName, passkeys },
    })
    await present.show(ctx, 'account-factor', {
      title: texts.text('add_passkey.title'),
      ...(await pages.shell(ctx, person, { path: accountPaths.security, heading: texts.text('add_passkey.heading') })),
      introduction: texts.text('add_passkey.introduction'),
      ...{ setup: { qr: undefined, codes: [] }, form: undefined, csrf },
      error: isFailed ? texts.text('add_passkey.failed') : '',
      passkey: passkeyForm(texts, present.views.passkeyScript, {
        ...{ action: accountPaths.passkey, hidden: [], options },
        label: texts.text('add_passkey.submit'),
        name: {
          label: texts.text('security.passkey_name'),
          hint: texts.text('add_passkey.name_hint'),
          value: passkeyName(browserName(ctx.get('User-Agent'))?.system ?? '') ?? '',
          maxLength: 60,
        },
      }),
      links: [{ href: accountPaths.security, label: texts.text('app_setup.cancel') }],
    })
  }

  return {
    async show(ctx) {
      const person = await confirmedOrAway(ctx, args, accountPaths.passkey)
      if (person) await showForm(ctx, person, { isFailed: false })
    },
    async answer(ctx) {
      const { school } = ctx.state
      const form = submittedForm(ctx)
      const person = await confirmedOrAway(ctx, args, accountPaths.passkey)
      if (!person) return
      requireOwnForm(ctx, present.csrf, { subject: formSubject(person), kind: 'foreign_account_form' })
      const party = relyingParty(school)
      const { accountId } = person
      const owner = { schoolId: school.id, accountId }
      const name = passkeyName(form.get('name') ?? '')
      const response = parsePasskeyResponse(form.get('passkey'))
      const binding = { ...owner, purpose: 'registration', browser: form.get('csrf') ?? '' } as const
      const ceremony = party && { database: args.database, keyring: args.keyring, party, binding }
      const passkey = ceremony && name && response && (await verifyRegistration(ceremony, response))
      const saved =
        passkey &&
        (await args.database.transaction(async (writer) => {
          const id = await savePasskey(writer, { ...owner, ...passkey, name: name ?? '' })
          if (id === undefined) return undefined
          const { recoveryCodes } = await ownFactors(writer, owner)
          return { codes: recoveryCodes === 0 ? await renewRecoveryCodes(writer, args.keyring, owner) : undefined }
        }))
      if (!saved) {
        ctx.status = 400
        return showForm(ctx, person, { isFailed: true })
      }
      await factorChanged(ctx, args, { accountId, change: 'passkey.added', details: { name } })
      setConfirmed(ctx, args.keyring, person, 'second factor')
      if (!saved.codes) return seeOther(ctx, `${accountPaths.security}?done=passkey_added`)
      await showRecoveryCodes(ctx, { present, pages }, { person, codes: saved.codes })
    },
  }
}
