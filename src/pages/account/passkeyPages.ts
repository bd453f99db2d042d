import type { Context, Middleware } from 'koa'
import { accountPaths } from '../../base/accountPaths.ts'
import { ownFactors } from '../../identity/factors/ownFactors.ts'
import { relyingParty } from '../../identity/factors/relyingParty.ts'
import { setUpPasskey } from '../../identity/factors/setUpPasskey.ts'
import { submittedForm } from '../formBody.ts'
import { requireOwnForm } from '../ownForm.ts'
import { passkeyForm } from '../passkeyForm.ts'
import { newPasskeyForm, readNewPasskey } from '../secondFactor/newPasskey.ts'
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
    const { passkeys } = await ownFactors(args.databaseOf(school.id).kysely, { schoolId: school.id, accountId })
    const account = { id: accountId, email: who.email, name: who.name }
    await present.show(ctx, 'account-factor', {
      title: texts.text('add_passkey.title'),
      ...(await pages.shell(ctx, person, { path: accountPaths.security, heading: texts.text('add_passkey.heading') })),
      introduction: texts.text('add_passkey.introduction'),
      ...{ setup: { qr: undefined, codes: [] }, form: undefined, csrf },
      error: isFailed ? texts.text('add_passkey.failed') : '',
      passkey: passkeyForm(texts, present.views.passkeyScript, {
        ...{ action: accountPaths.passkey, hidden: [] },
        ...newPasskeyForm(ctx, { party, keyring: args.keyring, texts, schoolName, account, csrf, passkeys }),
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
      const form = submittedForm(ctx)
      const person = await confirmedOrAway(ctx, args, accountPaths.passkey)
      if (!person) return
      requireOwnForm(ctx, present.csrf, { subject: formSubject(person), kind: 'foreign_account_form' })
      const { accountId } = person
      const passkey = await readNewPasskey(ctx, args, { accountId, form })
      const saved =
        passkey &&
        (await setUpPasskey(args.databaseOf(ctx.state.school.id), args.keyring, { schoolId: ctx.state.school.id, accountId, ...passkey }))
      if (!saved) {
        ctx.status = 400
        return showForm(ctx, person, { isFailed: true })
      }
      await factorChanged(ctx, args, { accountId, change: 'passkey.added', details: { name: passkey.name } })
      setConfirmed(ctx, args.keyring, person, 'second factor')
      if (!saved.codes) return seeOther(ctx, `${accountPaths.security}?done=passkey_added`)
      await showRecoveryCodes(ctx, { present, pages }, { person, codes: saved.codes })
    },
  }
}
