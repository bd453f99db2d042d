import type { Context, Middleware } from 'koa'
import { accountAppPath, accountPaths } from '../../base/accountPaths.ts'
import { hashedId } from '../../base/ids.ts'
import { type OwnGrant, ownGrants } from '../../identity/accounts/connectedApps.ts'
import { secondsOf } from '../../identity/apps/accessDuration.ts'
import { auditEntry } from '../auditEntry.ts'
import { readDuration } from '../durationField.ts'
import { submittedForm } from '../formBody.ts'
import { pageProblem } from '../pageProblem.ts'
import { seeOther } from '../seeOther.ts'
import type { AccountArguments } from './accountArguments.ts'
import type { AppActivityPages } from './appActivityPages.ts'
import { appNameField, readAppName } from './appName.ts'
import type { OwnPages } from './ownPage.ts'
import type { SignedInPerson } from './signedInPerson.ts'

/** The forms with which a person changes the access that they gave to an app. */
export function appChanges(
  args: AccountArguments,
  pages: OwnPages,
  { showAgain }: Pick<AppActivityPages, 'showAgain'>,
): { end: Middleware; rename: Middleware } {
  /** Returns the person and the grant of the form; undefined if the browser was sent to the sign-in. */
  const ownerOf = async (ctx: Context): Promise<{ person: SignedInPerson; grant: OwnGrant } | undefined> => {
    const { school } = ctx.state
    const id = submittedForm(ctx).get('page')
    const person = await pages.owner(ctx, accountPaths.apps)
    if (!person) return undefined
    const grants = await ownGrants(args.databaseOf(school.id).kysely, person.accountId)
    const grant = grants.find((one) => hashedId('aut', one.id) === id)
    // The same error for authorizations of other accounts, ended ones and unknown ids.
    if (!grant) throw nothingHere()
    return { person, grant }
  }

  return {
    async end(ctx) {
      const found = await ownerOf(ctx)
      if (!found) return
      const { accountId } = found.person
      const { id, client_id } = found.grant
      const rule = args.accessRule(await args.findTerms(ctx.state.school.id, client_id))
      const expiresInSeconds = secondsOf(readDuration(submittedForm(ctx), rule), rule)
      const ends = await args.setAccessEnd(ctx.state.school.id, { accountId, grantId: id, expiresInSeconds })
      if (!ends) throw nothingHere()
      await args.audit(auditEntry(ctx, 'grant.end_changed', { account_id: accountId, client_id, grant_id: id, details: ends }))
      seeOther(ctx, `${accountAppPath(hashedId('aut', id))}?done=end`)
    },

    async rename(ctx) {
      const found = await ownerOf(ctx)
      if (!found) return
      const { accountId } = found.person
      const id = hashedId('aut', found.grant.id)
      const typed = submittedForm(ctx).get(appNameField) ?? ''
      const { texts } = await args.pageContext(ctx)
      const read = readAppName(texts, typed)
      if ('error' in read) {
        ctx.status = 400
        return showAgain(ctx, id, { typed, error: read.error })
      }
      if (!(await args.renameOwn(ctx.state.school.id, { accountId, clientId: found.grant.client_id, name: read.name }))) throw nothingHere()
      seeOther(ctx, `${accountAppPath(id)}?done=renamed`)
    },
  }
}

const nothingHere = () => pageProblem('nothing_here', 'not_found', 'There is no such connected app.')
