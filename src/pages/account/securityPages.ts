import type { Context, Middleware } from 'koa'
import { accountPaths } from '../../base/accountPaths.ts'
import { fromPublicId } from '../../base/ids.ts'
import type { SchoolWriter } from '../../database/connection/database.ts'
import { removeApp } from '../../identity/factors/authenticatorApp.ts'
import { hasFactor, isLast, ownFactors, passkeyName, removePasskey, renamePasskey } from '../../identity/factors/ownFactors.ts'
import { renewRecoveryCodes } from '../../identity/factors/recoveryCodes.ts'
import { relyingParty } from '../../identity/factors/relyingParty.ts'
import { removeFactor } from '../../identity/factors/removeFactor.ts'
import { submittedForm } from '../formBody.ts'
import { requireOwnForm } from '../ownForm.ts'
import { pageProblem } from '../pageProblem.ts'
import { seeOther } from '../seeOther.ts'
import type { TextKey } from '../texts.ts'
import type { AccountArguments } from './accountArguments.ts'
import type { AccountPresenter } from './accountPresenter.ts'
import { confirmedOrAway } from './confirmation.ts'
import { factorChanged } from './factorChanged.ts'
import type { OwnPages } from './ownPage.ts'
import { showRecoveryCodes } from './recoveryCodesPage.ts'
import { securityPage } from './securityPage.ts'
import { formSubject, type SignedInPerson, signedInOrAway } from './signedInPerson.ts'

export interface SecurityPages {
  show: Middleware
  renamePasskey: Middleware
  removePasskey: Middleware
  removeApp: Middleware
  renewCodes: Middleware
}

/** Confirmations by the value of the query parameter `done`. Nothing else of the query is shown. */
const notices: Record<string, TextKey> = {
  confirmed: 'confirm.done',
  app_set_up: 'security.done_app_set_up',
  app_removed: 'security.done_app_removed',
  passkey_added: 'security.done_passkey_added',
  passkey_renamed: 'security.done_passkey_renamed',
  passkey_removed: 'security.done_passkey_removed',
  last_factor: 'security.last_factor',
}

const done = (name: string): string => `${accountPaths.security}?done=${name}`

export function securityPages(args: AccountArguments, present: AccountPresenter, pages: OwnPages): SecurityPages {
  const { databaseOf, keyring, secondFactors } = args

  /** Returns the person who submitted a form of the page, once they have confirmed who they are. */
  const owner = async (ctx: Context): Promise<SignedInPerson | undefined> => {
    const person = await confirmedOrAway(ctx, args, done('confirmed'))
    if (person) requireOwnForm(ctx, present.csrf, { subject: formSubject(person), kind: 'foreign_account_form' })
    return person
  }
  const keyOf = (ctx: Context, { accountId }: SignedInPerson) => ({ schoolId: ctx.state.school.id, accountId })
  const passkeyOf = (ctx: Context): string => {
    const id = fromPublicId('pky', submittedForm(ctx).get('passkey') ?? '')
    if (id === undefined) throw noPasskey()
    return id
  }
  const noPasskey = () => pageProblem('nothing_here', 'not_found', 'There is no such passkey.')
  /** Removes a second factor. Redirects and returns undefined if it is the last one of a person who needs one. */
  const remove = async <Removed>(
    ctx: Context,
    { accountId }: SignedInPerson,
    change: (writer: SchoolWriter) => Promise<Removed>,
  ): Promise<{ removed: Removed } | undefined> => {
    const { school } = ctx.state
    const isRequired = await secondFactors.isRequired(school, accountId)
    const removed = await removeFactor(databaseOf(school.id), { schoolId: school.id, accountId }, { isRequired, remove: change })
    if (removed !== 'last') return { removed }
    seeOther(ctx, done('last_factor'))
    return undefined
  }

  return {
    async show(ctx) {
      const { school } = ctx.state
      const person = await signedInOrAway(ctx, args, accountPaths.security)
      if (!person) return
      const { texts } = await present.pageContext(ctx)
      const name = typeof ctx.query.done === 'string' && Object.hasOwn(notices, ctx.query.done) ? notices[ctx.query.done] : undefined
      const factors = await ownFactors(databaseOf(ctx.state.school.id).kysely, keyOf(ctx, person))
      const isKept = isLast(factors) && (await secondFactors.isRequired(school, person.accountId))
      const heading = texts.text('security.heading')
      await present.show(ctx, 'account-security', {
        title: texts.text('security.title'),
        ...(await pages.shell(ctx, person, { path: accountPaths.security, heading, ...(name && { notice: texts.text(name) }) })),
        ...securityPage(texts, { factors, hasPasskeys: relyingParty(school) !== undefined, isKept }),
      })
    },
    async renamePasskey(ctx) {
      const person = await owner(ctx)
      if (!person) return
      const id = passkeyOf(ctx)
      const name = passkeyName(submittedForm(ctx).get('name') ?? '')
      if (
        name &&
        !(await databaseOf(ctx.state.school.id).transaction((writer) => renamePasskey(writer, { ...keyOf(ctx, person), id, name })))
      )
        throw noPasskey()
      seeOther(ctx, name ? done('passkey_renamed') : accountPaths.security)
    },
    async removePasskey(ctx) {
      const person = await owner(ctx)
      if (!person) return
      const id = passkeyOf(ctx)
      const key = keyOf(ctx, person)
      const change = await remove(ctx, person, (writer) => removePasskey(writer, { ...key, id }))
      if (!change) return
      const name = change.removed
      if (name === undefined) throw noPasskey()
      await factorChanged(ctx, args, { accountId: person.accountId, change: 'passkey.removed', details: { name } })
      seeOther(ctx, done('passkey_removed'))
    },
    async removeApp(ctx) {
      const person = await owner(ctx)
      if (!person) return
      const key = keyOf(ctx, person)
      const change = await remove(ctx, person, (writer) => removeApp(writer, key))
      if (!change) return
      if (change.removed) await factorChanged(ctx, args, { accountId: person.accountId, change: 'authenticator_app.removed' })
      seeOther(ctx, done('app_removed'))
    },
    async renewCodes(ctx) {
      const person = await owner(ctx)
      if (!person) return
      const key = keyOf(ctx, person)
      const codes = await databaseOf(ctx.state.school.id).transaction(async (writer) =>
        hasFactor(await ownFactors(writer, key)) ? renewRecoveryCodes(writer, keyring, key) : undefined,
      )
      // Without a second factor there is nothing that the codes replace.
      if (!codes) return seeOther(ctx, accountPaths.security)
      await factorChanged(ctx, args, { accountId: person.accountId, change: 'recovery_codes.renewed' })
      await showRecoveryCodes(ctx, { present, pages }, { person, codes })
    },
  }
}
