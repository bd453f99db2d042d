import type { SchoolWriter } from '../../database/connection/database.ts'
import { forgetRecipients } from '../../database/outbox/recipients.ts'
import { listOwnGrants } from '../../database/tables/connectedApps.ts'
import type { EndingGrant } from '../../engine/grantRevocation.ts'
import { removeSecondFactors } from '../../identity/factors/removeSecondFactors.ts'
import { discardFiles } from './discardFiles.ts'

export type EndGrant = (writer: SchoolWriter, grant: EndingGrant) => Promise<void>

/**
 * Deletes a login with its sessions, grants, mailed links, second factors and undelivered e-mails, and the names of its uploads that
 * nothing uses.
 */
export async function eraseAccount(
  writer: SchoolWriter,
  { accountId, endGrant }: { accountId: string; endGrant: EndGrant },
): Promise<void> {
  for (const { id: grantId, client_id: clientId } of await listOwnGrants(writer, writer.schoolId, accountId))
    await endGrant(writer, { schoolId: writer.schoolId, grantId, accountId, clientId })
  // Tokens are found by their grants, sessions by their account: see the indexes.
  const ownGrants = writer.selectFrom('oidc_grant').select('oidc_grant.id').where('oidc_grant.account_id', '=', accountId)
  await writer.deleteFrom('oidc_artifact').where('grant_id', 'in', ownGrants).execute()
  await writer.deleteFrom('oidc_artifact').where('account_id', '=', accountId).where('grant_id', 'is', null).execute()
  for (const table of ['oidc_grant', 'mailed_link', 'passkey', 'authenticator_app', 'recovery_code'] as const) {
    await writer.deleteFrom(table).where('account_id', '=', accountId).execute()
  }
  const account = await writer.selectFrom('account').select(['email', 'pending_email']).where('id', '=', accountId).executeTakeFirst()
  const emails = [account?.email, account?.pending_email].filter((email) => typeof email === 'string')
  await forgetRecipients(writer, writer.schoolId, [{ accountId }, ...emails.map((email) => ({ email }))])
  await writer.updateTable('account').set({ avatar_file_id: null }).where('id', '=', accountId).execute()
  await discardFiles(writer, (file) => file('file.uploaded_by', '=', accountId))
  await removeSecondFactors(writer, { schoolId: writer.schoolId, accountId })
  await writer.deleteFrom('account').where('id', '=', accountId).execute()
}
