import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '../..')
const tables = 'account|person|staff|file|oidc_client|oidc_grant'
const built = new RegExp(`([\\w.()]+)\\s*\\.(?:updateTable|insertInto|deleteFrom)\\('(?:${tables})'\\)`, 'g')
const written = new RegExp(`\\b(?:UPDATE|INSERT INTO|DELETE FROM) "?(?:${tables})\\b`, 'g')

/** Statements outside a transaction, with the reason why their changes are marked in time nevertheless. */
const exceptions: Record<string, string> = {
  'src/domain/students/releaseFiles.ts': 'the writer of the transaction writes it, after a statement part',
  'src/domain/students/invitations.ts': 'the state of a student and the time of the last sign-in are not kept in memory',
  'src/store/clients.ts': 'a new client is not kept yet; syncIntegrations names the client before it writes an existing one',
  'src/store/grants.ts': 'a new grant is not kept yet, and the last use of a client never',
  'src/store/files.ts': 'a file that is deleted or not used is not a picture of an account',
  'src/store/databaseArtifacts.ts': 'endGrant, endClient and syncIntegrations name their facts; an expired grant is not used from memory',
  'src/store/moveGrants.ts': 'access tokens of a moved grant are refused already; a refresh reads the grant from the database',
  'src/store/redeemArtifacts.ts': 'a grant that lives longer is read again when its known time has passed',
}

/** Returns the places at which a text changes what processes keep in memory, other than by the writer of a transaction. */
function outsideTransactions(text: string): string[] {
  const byBuilder = [...text.matchAll(built)].filter(([, receiver = '']) => receiver.split('.').at(-1) !== 'writer')
  return [...byBuilder, ...text.matchAll(written)].map(([place]) => place.replace(/\s+/g, ''))
}

test('transactions write the rows that processes keep in memory, and mark the changes', () => {
  const found = globSync('src/**/*.ts', { cwd: root, exclude: ['src/gen/**', 'src/demo/**'] })
    .filter((file) => outsideTransactions(readFileSync(join(root, file), 'utf8')).length > 0)
    .toSorted()
  expect(found).toEqual(Object.keys(exceptions).toSorted())
})

test('a statement outside a transaction is found', () => {
  expect(outsideTransactions(`await database.kysely\n  .updateTable('account')\n  .set({})`)).toEqual([
    `database.kysely.updateTable('account')`,
  ])
  expect(outsideTransactions(`sql.query('UPDATE oidc_grant SET revoked_at = now()')`)).toHaveLength(1)
  expect(outsideTransactions(`await change.writer.deleteFrom('staff').where('id', '=', id)`)).toEqual([])
})
