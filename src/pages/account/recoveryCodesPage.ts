import { accountPaths } from '../../base/accountPaths.ts'
import { recoveryCodes } from '../factorSetup.ts'
import type { OwnRequest } from './ownPage.ts'
import { shellOf } from './showOwnPage.ts'

/** Shows new recovery codes in the response to the form that created them. Nothing shows them again. */
export async function showRecoveryCodes(request: OwnRequest, codes: readonly string[]): Promise<void> {
  const { ctx, services } = request
  const { texts, schoolName } = await request.pageContext()
  await services.present.show(ctx, 'account-factor', {
    title: texts.text('recovery_codes.title'),
    ...(await shellOf(request, { section: accountPaths.security, heading: texts.text('recovery_codes.heading') })),
    introduction: texts.text('recovery_codes.introduction'),
    setup: recoveryCodes(texts, schoolName, codes),
    script: services.present.views.script.href,
    ...{ error: '', form: undefined, passkey: undefined },
    links: [{ href: accountPaths.security, label: texts.text('recovery_codes.done') }],
  })
}
