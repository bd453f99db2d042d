import type { Context } from 'koa'
import { accountPaths } from '../../base/accountPaths.ts'
import { recoveryCodes } from '../factorSetup.ts'
import type { AccountPresenter } from './accountPresenter.ts'
import type { OwnPages } from './ownPage.ts'
import type { SignedInPerson } from './signedInPerson.ts'

/** Shows new recovery codes in the response to the form that created them. Nothing shows them again. */
export async function showRecoveryCodes(
  ctx: Context,
  { present, pages }: { present: AccountPresenter; pages: OwnPages },
  { person, codes }: { person: SignedInPerson; codes: readonly string[] },
): Promise<void> {
  const { texts, schoolName } = await present.pageContext(ctx, accountPaths.security)
  const heading = texts.text('recovery_codes.heading')
  await present.show(ctx, 'account-factor', {
    title: texts.text('recovery_codes.title'),
    ...(await pages.shell(ctx, person, { path: accountPaths.security, heading })),
    introduction: texts.text('recovery_codes.introduction'),
    setup: recoveryCodes(texts, schoolName, codes),
    script: present.views.script.href,
    ...{ error: '', form: undefined, passkey: undefined },
    links: [{ href: accountPaths.security, label: texts.text('recovery_codes.done') }],
  })
}
