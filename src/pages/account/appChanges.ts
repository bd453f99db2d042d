import { accountAppPath } from '../../base/accountPaths.ts'
import { hashedId } from '../../base/ids.ts'
import { renameGrants, setGrantEnd } from '../../database/tables/grants.ts'
import { ownGrants } from '../../identity/accounts/connectedApps.ts'
import { accessRule, secondsOf } from '../../identity/apps/accessDuration.ts'
import { appTerms } from '../../school/apps/changeAppRules.ts'
import { readDuration } from '../durationField.ts'
import { pageProblem } from '../pageProblem.ts'
import { showApp } from './appActivityPages.ts'
import { appNameField, readAppName } from './appName.ts'
import type { OwnRequest } from './ownPage.ts'

/** Returns the grant of the form. The same error for authorizations of other accounts, ended ones and unknown ids. */
async function sentGrant({ reader, accountId, sent }: OwnRequest) {
  const grant = (await ownGrants(reader, accountId)).find(({ id }) => hashedId('aut', id) === sent.get('page'))
  if (!grant) throw nothingHere()
  return grant
}

/** Extends or shortens the access that a person gave to an app. */
export async function changeAccessEnd(request: OwnRequest): Promise<string> {
  const { accountId, sent, services } = request
  const { id, client_id } = await sentGrant(request)
  const rule = accessRule(services.oauth(), await appTerms(request.reader, client_id))
  const expiresInSeconds = secondsOf(readDuration(sent, rule), rule)
  const ends = await request.change((writer) => setGrantEnd(writer, { accountId, grantId: id, expiresInSeconds }))
  if (!ends) throw nothingHere()
  await request.audit('grant.end_changed', { client_id, grant_id: id, details: ends })
  return `${accountAppPath(hashedId('aut', id))}?done=end`
}

/** Sets the name by which a person knows an app. */
export async function renameApp(request: OwnRequest): Promise<string | undefined> {
  const { ctx, accountId, sent } = request
  const grant = await sentGrant(request)
  const id = hashedId('aut', grant.id)
  const typed = sent.get(appNameField) ?? ''
  const read = readAppName((await request.pageContext()).texts, typed)
  if ('error' in read) {
    ctx.status = 400
    await showApp(request, id, { typed, error: read.error })
    return undefined
  }
  const app = { accountId, clientId: grant.client_id, name: read.name }
  if (!(await request.change((writer) => renameGrants(writer, app)))) throw nothingHere()
  return `${accountAppPath(id)}?done=renamed`
}

const nothingHere = () => pageProblem('nothing_here', 'not_found', 'There is no such connected app.')
