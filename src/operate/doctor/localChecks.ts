import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { newId } from '../../base/ids.ts'
import { reasonOf } from '../../base/log/reason.ts'
import { checkSmtp, sendTestMail } from '../../base/mail/checkSmtp.ts'
import { isLoopback } from '../../config/address.ts'
import { clockOffset, serverVersion, timeZones } from '../../database/connection/serverFacts.ts'
import { isOwnStorage, WrongStorage } from '../../database/files/fileStorage.ts'
import { migrationHistory } from '../../database/migrations/migrate.ts'
import { heldSince } from '../../database/migrations/restore.ts'
import { outboxFigures } from '../../database/outbox/claimOutbox.ts'
import { mailOutage } from '../../database/outbox/mailOutage.ts'
import { countWithheld } from '../../database/outbox/outboxLists.ts'
import { countSealed, lostOf, neededOf } from '../../database/statements/sealedColumns.ts'
import { listSchools } from '../../database/tables/schools.ts'
import { listSchoolsWithoutKeys } from '../../database/tables/signingKeys.ts'
import { failingEndpoints } from '../../database/webhooks/endpointState.ts'
import { signingAlgorithms } from '../../identity/oidc/signingKeys.ts'
import type { Session } from '../cli/session.ts'
import { outgoingIsOff } from '../compose/outboxHandlers.ts'
import { openConfiguredFileStorage } from '../serve/open.ts'
import { explainLoss } from '../serve/sealedCheck.ts'
import { createSigningKeyCheck } from '../serve/signingKeyCheck.ts'
import { migrationsDirectory } from '../serve/start.ts'
import { type Check, type Finding, failed, passed, skipped, warned } from './check.ts'
import { checkClientKeys } from './clientKeyCheck.ts'

export interface LocalArguments {
  session: Session
  mailTo: string | undefined
}

export const localChecks = ({ session, mailTo }: LocalArguments): Check[] => [
  { id: 'settings', run: () => checkSettings(session) },
  { id: 'database', run: () => checkDatabase(session) },
  { id: 'migrations', run: () => checkMigrations(session) },
  { id: 'database_clock', run: () => checkDatabaseClock(session) },
  { id: 'time_zone', run: () => checkTimeZone(session) },
  { id: 'keys', run: () => checkKeys(session) },
  { id: 'secrets', run: () => checkSecrets(session) },
  { id: 'client_keys', run: () => checkClientKeys(session.settings().config) },
  { id: 'storage', run: () => checkStorage(session) },
  { id: 'redis', run: () => checkRedis(session) },
  { id: 'mail', run: () => checkMail(session, mailTo) },
  { id: 'outgoing', run: () => checkOutgoing(session) },
  { id: 'mail_queue', run: () => checkMailQueue(session) },
  { id: 'webhooks', run: () => checkWebhooks(session) },
]

const isPublic = (session: Session): boolean => session.settings().config.schools.some(({ issuer }) => !isLoopback(issuer))

async function checkSettings(session: Session): Promise<Finding> {
  const { environment, config } = session.settings()
  if (isPublic(session) && environment.RATE_LIMITS === 'off')
    return failed('RATE_LIMITS is off', 'Remove the variable: passwords can be guessed without limits.')
  const count = config.schools.length
  return passed(`${environment.CONFIG_DIR} is valid: ${count} ${count === 1 ? 'school' : 'schools'}`)
}

async function checkDatabase(session: Session): Promise<Finding> {
  const database = await session.databaseAsItIs()
  await database.ping()
  if (database.kind === 'embedded')
    return isPublic(session)
      ? warned(
          'the embedded database serves public schools',
          'Set DATABASE_URL to a PostgreSQL server for more than one process and for backups.',
        )
      : passed('embedded, takes writes')
  const version = await serverVersion(database)
  return version >= 15
    ? passed(`PostgreSQL ${version}, takes writes`)
    : failed(`PostgreSQL ${version}`, 'Upgrade to PostgreSQL 15 or later.')
}

async function checkMigrations(session: Session): Promise<Finding> {
  const { missing, newer } = await migrationHistory(await session.databaseAsItIs(), migrationsDirectory)
  const names = (list: readonly string[]): string => `${list.length}: ${list.slice(0, 3).join(', ')}`
  if (missing.length > 0) return failed(`pending ${names(missing.map(({ name }) => name))}`, 'Run schoolgate migrate up.')
  return passed(newer.length === 0 ? 'all applied' : `all applied, and of a newer release ${names(newer)}`)
}

async function checkDatabaseClock(session: Session): Promise<Finding> {
  const offset = await clockOffset(await session.databaseAsItIs())
  if (offset > 60)
    return failed(
      `the clock of the database differs by ${Math.round(offset)} s`,
      'Synchronise the clocks (NTP): the database decides when tokens expire.',
    )
  if (offset > 2) return warned(`the clock of the database differs by ${offset.toFixed(1)} s`, 'Synchronise the clocks (NTP).')
  return passed('agrees with this machine')
}

async function checkTimeZone(session: Session): Promise<Finding> {
  const { session: own, unknown: zones } = await timeZones(await session.databaseAsItIs())
  if (zones.length > 0)
    return failed(
      zones.map(({ slug, time_zone: zone }) => `the database does not know ${zone} of ${slug}`).join('; '),
      'Install the time zone data of the database server, or change the time zone of the school.',
    )
  if (!/^(UTC|Etc\/UTC|GMT)$/i.test(own))
    return warned(
      `sessions of the database use ${own}`,
      'Remove the TimeZone setting of the role or the database: the service expects UTC.',
    )
  return passed('the database knows the time zone of every school')
}

async function checkKeys(session: Session): Promise<Finding> {
  const { kysely } = await session.database()
  const { config } = session.settings()
  const keepHours = config.oauth.signing_keys.keep_after_retirement_hours
  const schools = () => config.schools.map(({ slug }) => slug)
  try {
    await createSigningKeyCheck({ database: kysely, keyring: session.keyring(), schools, keepHours: () => keepHours })()
  } catch (error) {
    return failed(reasonOf(error), 'Restore the earlier SECRET_KEY, or add it to the list: SECRET_KEY=new,old.')
  }
  const rows = (await listSchools(kysely)).filter(({ slug }) => schools().includes(slug))
  const without = await listSchoolsWithoutKeys(kysely, { schoolIds: rows.map(({ id }) => id), algorithms: signingAlgorithms, keepHours })
  const slugs = rows.filter(({ id }) => without.includes(id)).map(({ slug }) => slug)
  if (slugs.length > 0)
    return failed(
      `${slugs.join(', ')} lack a signing key`,
      'Run schoolgate keys rotate --school <slug>, or wait a minute while the service runs.',
    )
  return passed(`SECRET_KEY opens the keys of ${rows.length} ${rows.length === 1 ? 'school' : 'schools'}`)
}

async function checkSecrets(session: Session): Promise<Finding> {
  const keyring = session.keyring()
  const counts = await countSealed((await session.database()).sql, keyring)
  const lost = lostOf(counts)
  const isLasting = counts.some((count) => !count.isBrief && count.lost > 0)
  if (lost !== '')
    return (isLasting ? failed : warned)(
      explainLoss(lost),
      'If the secret is gone: people use a recovery code or a passkey, or you run schoolgate people remove-second-factor.',
    )
  const older = keyring.secretIds.slice(1).map((_, index) => [index + 2, neededOf(counts, index + 1)] as const)
  if (older.length === 0) return passed('SECRET_KEY opens everything that is stored')
  const uses = older.map(([number, needed]) =>
    needed === ''
      ? `secret ${number} is not needed for any stored value: it can be removed`
      : `secret ${number} is needed for ${needed}: schoolgate secrets rotate seals them again`,
  )
  return passed(uses.join('; '))
}

async function checkStorage(session: Session): Promise<Finding> {
  const { environment } = session.settings()
  const fix = environment.STORAGE_URL
    ? 'Check STORAGE_URL, that the storage is reachable, and its credentials.'
    : `Make ${environment.DATA_DIR}/files writable for this user, and free space on its disk.`
  const [key, content] = [`check/${newId()}`, `written by schoolgate doctor\n`]
  const storage = await openConfiguredFileStorage(environment)
  try {
    await storage.write(key, Readable.from([Buffer.from(content)]), { bytes: content.length, contentType: 'text/plain' })
    const stored = await storage.read(key)
    const isSame = stored !== undefined && (await buffer(stored)).toString() === content
    await storage.remove(key)
    const { kysely } = await session.databaseAsItIs()
    await isOwnStorage({ kysely }, storage)
    if (!isSame) return failed('what was written cannot be read again', fix)
    return (await storage.read(key)) === undefined ? passed('write, read and delete work') : failed('a deleted file is still there', fix)
  } catch (error) {
    if (error instanceof WrongStorage) return failed(error.message, 'Set STORAGE_URL or DATA_DIR as the other processes have it.')
    return failed(`the storage takes no files: ${reasonOf(error)}`, fix)
  } finally {
    storage.close()
  }
}

async function checkRedis(session: Session): Promise<Finding> {
  if (!session.settings().environment.REDIS_URL) return skipped('REDIS_URL is not set: the database holds sessions and limits')
  try {
    await (await session.redis())?.ping()
    return passed('responds')
  } catch (error) {
    return failed(`Redis does not respond: ${reasonOf(error)}`, 'Check REDIS_URL, and that the server is running.')
  }
}

async function checkOutgoing(session: Session): Promise<Finding> {
  const count = await countWithheld((await session.database()).kysely)
  const kept = `${count} ${count === 1 ? 'message is' : 'messages are'} withheld`
  if (session.settings().config.server.outgoing === 'off')
    return warned(
      `${outgoingIsOff}: e-mails and webhooks are not sent, ${kept}`,
      'Set it to on, unless this is a copy of another installation.',
    )
  const since = await heldSince((await session.database()).kysely)
  if (since)
    return warned(
      `e-mails and webhooks are held since the restore of ${since.toISOString()}, ${kept}`,
      'They may have been sent before. Read "A restore" in docs/deploy.md, then run schoolgate outbox release.',
    )
  if (count === 0) return passed('e-mails and webhooks are sent')
  return warned(kept, 'schoolgate outbox list --state withheld shows them: replay or discard them.')
}

/** More rows of one kind are a backlog, as for the alert SchoolgateOutboxBacklog. */
const longQueue = 10_000

async function checkMailQueue(session: Session): Promise<Finding> {
  const { kysely } = await session.database()
  const reason = await mailOutage(kysely)
  if (reason !== undefined)
    return warned(reason, 'Repair the mail server: the e-mails are sent when it responds. schoolgate outbox list shows them.')
  const long = (await outboxFigures(kysely)).filter(({ pending }) => pending > longQueue)
  if (long.length === 0) return passed('no e-mails wait after failed attempts, and no queue is long')
  return warned(
    long
      .map(({ kind, pending, oldestSeconds }) => `${kind}: ${pending} wait, the oldest for ${Math.round(oldestSeconds / 60)} min`)
      .join('; '),
    'Check that a process of the service runs, and the rate of the mail server. New passwords and security notices have their own queues.',
  )
}

async function checkWebhooks(session: Session): Promise<Finding> {
  const reason = await failingEndpoints((await session.database()).kysely)
  if (reason === undefined) return passed('no receiver rejects deliveries')
  return warned(reason, 'Repair the receiver: deliveries wait for three days. schoolgate webhooks deliveries <endpoint> shows them.')
}

async function checkMail(session: Session, mailTo: string | undefined): Promise<Finding> {
  const { SMTP_URL: url, MAIL_FROM: from } = session.settings().environment
  if (session.settings().config.server.outgoing === 'off') return skipped(`${outgoingIsOff}: nothing is sent`)
  if (!url)
    return isPublic(session)
      ? failed('SMTP_URL is not set: e-mails are not sent', 'Set SMTP_URL to your mail server.')
      : skipped('SMTP_URL is not set: e-mails are saved to DATA_DIR/outbox')
  const { host } = new URL(url)
  try {
    const { isEncrypted } = await checkSmtp(url)
    if (mailTo !== undefined) await sendTestMail(url, { from: from ?? mailTo, to: mailTo })
    if (!isEncrypted)
      return warned(`${host} offers no encryption`, 'Use smtps:// or a server with STARTTLS: e-mails contain links that sign people in.')
    return passed(`${host} accepts the sign-in${mailTo === undefined ? '' : ` and a message to ${mailTo}`}`)
  } catch (error) {
    return failed(`${host} refuses: ${reasonOf(error)}`, 'Check the host, port, user and password in SMTP_URL, and MAIL_FROM.')
  }
}
