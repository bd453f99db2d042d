import type { Context } from 'koa'
import { accountPaths } from '../../base/accountPaths.ts'
import { withQuery } from '../../base/text/withQuery.ts'
import { startBrowserSession } from '../../identity/oidc/browserSession.ts'
import { sessionSeconds } from '../../identity/oidc/sessionSeconds.ts'
import { knownPerson } from '../knownRows.ts'
import { seeOther } from '../seeOther.ts'
import type { SignInHost } from '../steps/signInHost.ts'
import type { AccountServices } from './accountArguments.ts'
import { isStaff } from './school/manage/addresses.ts'
import { formSubject } from './signedInPerson.ts'
import { readSignInProgress, removeSignInProgress, setSignInProgress } from './signInCookie.ts'

/** Returns the page on which a person begins: those who work at the school begin there. */
export async function landingOf(ctx: Context, services: AccountServices, accountId: string): Promise<string> {
  const role = (await knownPerson(services, ctx.state.school.id, accountId))?.role
  return isStaff(role) ? accountPaths.school : accountPaths.home
}

/** Runs steps on the account's own sign-in. Their progress is stored in an encrypted cookie. `target` is the path that follows. */
export function accountSignInHost(ctx: Context, services: AccountServices, target: string | undefined): SignInHost {
  const path = accountPaths.signIn
  const query = { return_to: target }
  return {
    ctx,
    open: undefined,
    path,
    // No step of `consent` runs here.
    actions: { login: path, consent: path },
    query,
    returnTo: target,
    isSwitch: false,
    csrfSubject: formSubject(),
    formTarget: undefined,
    cancelPath: undefined,
    pageContext: () => services.pageContext(ctx, withQuery(path, query)),
    loadProgress: async () => readSignInProgress(ctx, services.keyring),
    saveProgress: async (_prompt, progress) => setSignInProgress(ctx, services.keyring, progress),
    async finish(_prompt, { account, amr, acr, remember: isRemembered }) {
      if (!account) throw new Error('the steps of the sign-in identified no account')
      await startBrowserSession(ctx, await services.provider(ctx), {
        ...{ accountId: account.accountId, signedInAt: account.signedInAt, amr, acr, isRemembered },
        lifeSeconds: sessionSeconds(services.oauth(), isRemembered),
      })
      removeSignInProgress(ctx)
      seeOther(ctx, target ?? (await landingOf(ctx, services, account.accountId)))
    },
    async refuse() {
      throw new Error('only an authorization request can be refused')
    },
  }
}
