import { sql } from 'kysely'
import type { SchoolWriter } from '../../database/connection/database.ts'
import { forgetRecipients } from '../../database/outbox/recipients.ts'
import type { Builder, Condition } from '../../database/statements/expressions.ts'
import { listOwnGrants } from '../../database/tables/connectedApps.ts'
import type { EndingGrant } from '../../engine/grantRevocation.ts'
import { removeSecondFactors } from '../../identity/factors/authenticatorApp.ts'

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

/**
 * Discards files of a person that nothing uses: their names are erased, nobody can read them from now on, and the next sweep removes them. A
 * portrait cannot be taken back either; other files stay in the trash as long as a request that let them go can be taken back.
 */
export async function discardFiles(writer: SchoolWriter, isTheirs: (file: Builder<'file'>) => Condition): Promise<void> {
  const discarded = await writer
    .updateTable('file')
    .set((file) => ({
      filename: sql<string>`'deleted' || coalesce(substring(${file.ref('filename')} FROM '\\.[a-z0-9]{1,8}$'), '')`,
      alt: null,
      status: file.case().when('status', '=', 'ready').then('deleted').else(file.ref('status')).end(),
      unused_since: new Date(0),
    }))
    .where(isTheirs)
    .where((file) => file.not(file.exists(file.selectFrom('file_reference').whereRef('file_reference.file_id', '=', 'file.id'))))
    .returning(['id', 'purpose'])
    .execute()
  const portraits = discarded.filter(({ purpose }) => purpose === 'avatar').map(({ id }) => id)
  if (portraits.length > 0) await writer.deleteFrom('undo_file').where('file_id', 'in', portraits).execute()
}
