import { accountPaths } from '../../base/accountPaths.ts'
import { fromPublicId } from '../../base/ids.ts'
import type { SchoolWriter } from '../../database/connection/database.ts'
import { removeApp, removeFactor } from '../../identity/factors/authenticatorApp.ts'
import { hasFactor, isLast, ownFactors, passkeyName, removePasskey, renamePasskey } from '../../identity/factors/ownFactors.ts'
import { renewRecoveryCodes } from '../../identity/factors/recoveryCodes.ts'
import { relyingParty } from '../../identity/factors/relyingParty.ts'
import { pageProblem } from '../pageProblem.ts'
import { withConfirmation } from './factorAccess.ts'
import { factorChanged } from './factorChanged.ts'
import type { OwnPage, OwnRequest } from './ownPage.ts'
import { showRecoveryCodes } from './recoveryCodesPage.ts'
import { securityPage as contentOf } from './securityPage.ts'
import { shellOf } from './showOwnPage.ts'
import { signedInOrAway } from './signedInPerson.ts'

/** Returns the account in the arguments of the rules of second factors. */
export const ownerOf = ({ school, accountId }: Pick<OwnRequest, 'school' | 'accountId'>) => ({ schoolId: school.id, accountId })

/** The page of the second factors of a person. */
export const securityPage: OwnPage<never> = {
  path: accountPaths.security,
  access: withConfirmation({ open: signedInOrAway, confirmedAt: `${accountPaths.security}?done=confirmed` }),
  async show(request) {
    const { ctx, services, school, accountId, reader } = request
    const { texts } = await request.pageContext()
    const factors = await ownFactors(reader, ownerOf(request))
    const isKept = isLast(factors) && (await services.secondFactors.isRequired(school, accountId))
    const notices = {
      app_set_up: 'security.done_app_set_up',
      app_removed: 'security.done_app_removed',
      passkey_added: 'security.done_passkey_added',
      passkey_renamed: 'security.done_passkey_renamed',
      passkey_removed: 'security.done_passkey_removed',
      last_factor: 'security.last_factor',
    } as const
    await services.present.show(ctx, 'account-security', {
      title: texts.text('security.title'),
      ...(await shellOf(request, { section: accountPaths.security, heading: texts.text('security.heading'), notices })),
      ...contentOf(texts, { factors, hasPasskeys: relyingParty(school) !== undefined, isKept }),
    })
  },
  forms: {
    'passkey/rename': {
      async run(request) {
        const id = passkeyOf(request)
        const name = passkeyName(request.sent.get('name') ?? '')
        if (!name) return accountPaths.security
        if (!(await request.change((writer) => renamePasskey(writer, { ...ownerOf(request), id, name })))) throw noPasskey()
        return 'passkey_renamed'
      },
    },
    'passkey/remove': {
      async run(request) {
        const id = passkeyOf(request)
        const name = await remove(request, (writer) => removePasskey(writer, { ...ownerOf(request), id }))
        if (name === 'last') return 'last_factor'
        if (name === undefined) throw noPasskey()
        await factorChanged(request.ctx, request.services, { accountId: request.accountId, change: 'passkey.removed', details: { name } })
        return 'passkey_removed'
      },
    },
    'app/remove': {
      async run(request) {
        const isRemoved = await remove(request, (writer) => removeApp(writer, ownerOf(request)))
        if (isRemoved === 'last') return 'last_factor'
        if (isRemoved)
          await factorChanged(request.ctx, request.services, { accountId: request.accountId, change: 'authenticator_app.removed' })
        return 'app_removed'
      },
    },
    'recovery-codes': {
      async run(request) {
        const owner = ownerOf(request)
        const codes = await request.change(async (writer) =>
          hasFactor(await ownFactors(writer, owner)) ? renewRecoveryCodes(writer, request.services.keyring, owner) : undefined,
        )
        // Without a second factor there is nothing that the codes replace.
        if (!codes) return accountPaths.security
        await factorChanged(request.ctx, request.services, { accountId: request.accountId, change: 'recovery_codes.renewed' })
        await showRecoveryCodes(request, codes)
        return undefined
      },
    },
  },
}

const noPasskey = () => pageProblem('nothing_here', 'not_found', 'There is no such passkey.')

function passkeyOf({ sent }: OwnRequest): string {
  const id = fromPublicId('pky', sent.get('passkey') ?? '')
  if (id === undefined) throw noPasskey()
  return id
}

/** Removes a second factor; returns `last` if it is the last one of a person who needs one. */
async function remove<Removed>(request: OwnRequest, change: (writer: SchoolWriter) => Promise<Removed>): Promise<Removed | 'last'> {
  const isRequired = await request.services.secondFactors.isRequired(request.school, request.accountId)
  return removeFactor(request.database, ownerOf(request), { isRequired, remove: change })
}
