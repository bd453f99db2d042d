/**
 * Checks that rows which processes keep in memory are written in transactions, which mark their changes (docs/decisions/0012).
 *
 *   node scripts/factWriters.ts    exits with 1 and lists the places that write such rows otherwise
 */
import { fail, lineAt, type Module, readModules } from './modules.ts'

const tables = 'account|person|staff|file|oidc_client|oidc_grant'
const built = new RegExp(`([\\w.()]+)\\s*\\.(?:updateTable|insertInto|deleteFrom)\\('(${tables})'\\)`, 'g')
const written = new RegExp(`\\b()(?:UPDATE|INSERT INTO|DELETE FROM) "?(${tables})\\b`, 'g')

/** Statements outside of a transaction, with the reason why their changes are marked in time nevertheless. */
const exceptions: Readonly<Record<string, string>> = {
  'src/identity/accounts/activation.ts': 'the state of a student and the time of the last sign-in are not kept in memory',
  'src/database/tables/clients.ts': 'a new client is not kept yet, and syncIntegrations names the client before it writes an existing one',
  'src/database/tables/grants.ts': 'a new grant is not kept yet, and the last use of a client never',
  'src/database/tables/grantUse.ts': 'the last use of a grant is not kept in memory',
  'src/database/tables/files.ts': 'a file that is deleted or not used is not a picture of an account',
  'src/identity/tokens/databaseArtifacts.ts':
    'endGrant, endClient and syncIntegrations name their facts; an expired grant is not used from memory',
  'src/identity/tokens/endGrantsTogether.ts': 'databaseArtifacts.ts names the facts of every grant of the statement',
  'src/identity/tokens/moveGrants.ts': 'access tokens of a moved grant are refused already; a refresh reads the grant from the database',
  'src/identity/tokens/redeemArtifacts.ts': 'a grant that lives longer is read again when its known time has passed',
  'src/identity/tokens/redeemTogether.ts': 'the last use of a grant is not kept in memory',
  'src/identity/tokens/revokeTokens.ts': 'databaseArtifacts.ts names the facts of every grant of the statement',
  'src/identity/tokens/registerClient.ts': 'a new client is not kept yet',
}

const modules = readModules().filter(({ path }) => !path.startsWith('src/operate/demo/'))
const places = modules.flatMap(placesIn)
const complaints = places
  .filter(({ file }) => !(file in exceptions))
  .map(
    ({ file, line, table }) =>
      `${file}:${line} writes ${table} outside of a transaction: write it with the writer that database.transaction passes (docs/decisions/0012-current-facts-in-memory.md). If its change is marked in another way, add the file and the reason to exceptions in scripts/factWriters.ts`,
  )
const unneeded = Object.keys(exceptions)
  .filter((file) => modules.some(({ path }) => path === file) && !places.some((place) => place.file === file))
  .map((file) => `${file} writes no such row outside of a transaction: remove it from exceptions in scripts/factWriters.ts`)
if (complaints.length + unneeded.length > 0) fail([...complaints, ...unneeded].join('\n'))
process.stdout.write(`${modules.length} modules, ${places.length} places with a reason\n`)

/** Returns the places at which a text changes what processes keep in memory, other than by the writer of a transaction. */
function placesIn({ path: file, text }: Module): { file: string; line: number; table: string }[] {
  const byBuilder = [...text.matchAll(built)].filter(([, receiver = '']) => receiver.split('.').at(-1) !== 'writer')
  return [...byBuilder, ...text.matchAll(written)].map(({ index, 2: table = '' }) => ({
    file,
    line: lineAt(text, index),
    table,
  }))
}
