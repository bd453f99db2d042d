import { accountPaths, schoolAppPath } from '../../../base/accountPaths.ts'
import { Problem } from '../../../base/problem.ts'
import { storableText } from '../../../database/statements/storableText.ts'
import { findAnyClient, noteDisabledBy, pauseClient } from '../../../database/tables/clients.ts'
import { agreeToClient, listGrantsOfClient } from '../../../identity/apps/storedApps.ts'
import { restoreClient } from '../../../identity/oidc/restoreClient.ts'
import { endClient, endGrant } from '../../../identity/oidc/stores.ts'
import { pageProblem } from '../../pageProblem.ts'
import type { OwnRequest, RunForm } from '../ownPage.ts'
import { requireOwner } from './schoolAdmin.ts'

const [batch, most] = [200, 20_000]

interface AdministeredClient {
  id: string
  /** Undefined if it is enabled. */
  disabledBy: 'school' | 'operator' | undefined
}

const listOf = (form: URLSearchParams): string =>
  form.get('list') === 'integrations' ? accountPaths.schoolIntegrations : accountPaths.schoolApps

const pageOf = (form: URLSearchParams): string => schoolAppPath(form.get('client') ?? '')

/** Returns a form about the client that it names. It leads to a page: by default to the list that the form belongs to. */
const onClient = (
  done: string,
  act: (request: OwnRequest, client: AdministeredClient) => Promise<void>,
  backTo: (form: URLSearchParams) => string = listOf,
): RunForm => ({
  isConfirmed: true,
  backTo,
  async run(request) {
    const id = request.sent.get('client') ?? ''
    // PostgreSQL cannot store other texts, so no client has such an id.
    const client = storableText(id) === id ? await findAnyClient(request.reader, request.school.id, id) : undefined
    // The same error for clients of other schools and unknown ids.
    if (!client) throw noApp()
    const disabledBy = client.disabled_at === null ? undefined : client.disabled_by === 'school' ? 'school' : 'operator'
    await act(request, { id, disabledBy })
    return `${backTo(request.sent)}?done=${done}`
  },
})

const noApp = () => pageProblem('nothing_here', 'not_found', 'There is no such app.')

const pausing = (isPaused: boolean): RunForm =>
  onClient(
    isPaused ? 'paused' : 'continued',
    async ({ change, audit }, { id }) => {
      const isChanged = await change((writer) => pauseClient(writer, id, isPaused))
      if (isChanged) await audit(isPaused ? 'school.app_paused' : 'school.app_continued', { client_id: id })
    },
    pageOf,
  )

/** The actions of owners and admins on an app, with the rules of the operator's commands. */
export const schoolActions: Readonly<Record<string, RunForm>> = {
  [accountPaths.schoolPauseApp]: pausing(true),
  [accountPaths.schoolContinueApp]: pausing(false),

  [accountPaths.schoolAgreeToApp]: onClient('agreed', async (request, { id }) => {
    await requireOwner(request)
    const isNew = await request.change((writer) => agreeToClient(writer, id))
    if (isNew) await request.audit('school.app_agreed', { client_id: id })
  }),

  [accountPaths.schoolEndAccess]: onClient('ended', async ({ services, school, accountId, reader, audit }, { id: client_id }) => {
    let ended = 0
    for (;;) {
      const grants = await listGrantsOfClient(reader, { clientId: client_id, limit: batch })
      if (grants.length === 0) break
      for (const { id, account_id } of grants) {
        await endGrant(services.stores, { schoolId: school.id, grantId: id })
        await audit('grant.revoked', { account_id, client_id, grant_id: id, details: { by: 'school', staff: accountId } })
      }
      ended += grants.length
      if (ended > most) throw new Problem('temporarily_unavailable', { headers: { 'Retry-After': '5' } })
    }
    await audit('school.app_access_ended', { client_id, details: { grants: ended } })
  }),

  [accountPaths.schoolDisableApp]: onClient('disabled', async ({ services, school, reader, audit }, { id, disabledBy }) => {
    if (disabledBy !== undefined) return
    await endClient(services.stores, school.id, id)
    await noteDisabledBy(reader, { schoolId: school.id, id, by: 'school' })
    await audit('school.app_disabled', { client_id: id })
  }),

  [accountPaths.schoolEnableApp]: onClient('enabled', async ({ services, school, audit }, { id, disabledBy }) => {
    if (disabledBy === undefined) return
    // An operator or the school's file has disabled it, so the staff cannot enable it.
    if (disabledBy !== 'school') throw noApp()
    await restoreClient(services.stores, school.id, id)
    await audit('school.app_enabled', { client_id: id })
  }),
}
