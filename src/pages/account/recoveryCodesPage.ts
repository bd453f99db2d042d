import type { Context } from 'koa'
import { accountPaths } from '../../policy/accountPaths.ts'
import type { AccountPresenter } from './accountPresenter.ts'

/** Shows new recovery codes in the response to the form that created them. Nothing shows them again. */
export async function showRecoveryCodes(ctx: Context, present: AccountPresenter, codes: string[]): Promise<void> {
  const { texts } = await present.pageContext(ctx, accountPaths.security)
  await present.show(ctx, 'account-factor', {
    title: texts.text('recovery_codes.title'),
    heading: texts.text('recovery_codes.heading'),
    introduction: texts.text('recovery_codes.introduction'),
    ...{ qr: undefined, codes, error: '', csrf: '', form: undefined, passkey: undefined },
    links: [{ href: accountPaths.security, label: texts.text('recovery_codes.done') }],
  })
}
