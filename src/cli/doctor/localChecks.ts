import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { isLoopback } from '../../config/address.ts'
import { newId } from '../../lib/ids.ts'
import { reasonOf } from '../../lib/reason.ts'
import { checkSmtp, sendTestMail } from '../../mail/checkSmtp.ts'
import { signingAlgorithms } from '../../oidc/signingKeys.ts'
import { migrationHistory } from '../../store/migrate.ts'
import { openDatabase } from '../../store/openDatabase.ts'
import { mailOutage } from '../../store/outbox/mailOutage.ts'
import { listSchools } from '../../store/schools.ts'
import { listSchoolsWithoutKeys } from '../../store/signingKeys.ts'
import { isOwnStorage, WrongStorage } from '../../store/storageIdentity.ts'
import { failingEndpoints } from '../../store/webhooks/endpointState.ts'
import { openConfiguredFileStorage } from '../../wiring/open.ts'
import { createSigningKeyCheck } from '../../wiring/signingKeyCheck.ts'
import { migrationsDirectory } from '../../wiring/start.ts'
import type { Session } from '../session.ts'
import { type Check, type Finding, failed, passed, skipped, warned } from './check.ts'

export interface LocalArguments {
  session: Session
  /** Recipient of a test message. */
  mailTo: string | undefined
}

/** Returns the checks of the installation: its stores, its keys and its mail server. */
export const localChecks = ({ session, mailTo }: LocalArguments): Check[] => [
  { id: 'settings', run: () => checkSettings(session) },
  { id: 'database', run: () => checkDatabase(session) },
  { id: 'migrations', run: () => checkMigrations(session) },
  { id: 'database_clock', run: () => checkDatabaseClock(session) },
  { id: 'time_zone', run: () => checkTimeZone(session) },
  { id: 'keys', run: () => checkKeys(session) },
  { id: 'storage', run: () => checkStorage(session) },
  { id: 'redis', run: () => checkRedis(session) },
  { id: 'read_replica', run: () => checkReplica(session) },
  { id: 'mail', run: () => checkMail(session, mailTo) },
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
  const [row] = await database.sql.query<{ version: string }>(`SELECT current_setting('server_version_num') AS version`)
  const version = Math.floor(Number(row?.version) / 10_000)
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
  const { sql } = await session.databaseAsItIs()
  const before = Date.now()
  const [row] = await sql.query<{ at: string }>('SELECT (extract(epoch FROM clock_timestamp()) * 1000)::text AS at')
  const offset = Math.abs(Number(row?.at) - (before + Date.now()) / 2) / 1000
  if (offset > 60)
    return failed(
      `the clock of the database differs by ${Math.round(offset)} s`,
      'Synchronise the clocks (NTP): the database decides when tokens expire.',
    )
  if (offset > 2) return warned(`the clock of the database differs by ${offset.toFixed(1)} s`, 'Synchronise the clocks (NTP).')
  return passed('agrees with this machine')
}

async function checkTimeZone(session: Session): Promise<Finding> {
  const { sql } = await session.databaseAsItIs()
  const zones = await sql.query<{ time_zone: string; slug: string }>(
    `SELECT time_zone, slug FROM school WHERE NOT EXISTS (SELECT FROM pg_timezone_names WHERE name = school.time_zone)`,
  )
  if (zones.length > 0)
    return failed(
      zones.map(({ slug, time_zone: zone }) => `the database does not know ${zone} of ${slug}`).join('; '),
      'Install the time zone data of the database server, or change the time zone of the school.',
    )
  const [own] = await sql.query<{ zone: string }>(`SELECT current_setting('TimeZone') AS zone`)
  if (!/^(UTC|Etc\/UTC|GMT)$/i.test(own?.zone ?? ''))
    return warned(
      `sessions of the database use ${own?.zone}`,
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

async function checkReplica(session: Session): Promise<Finding> {
  const { DATABASE_READ_URL: databaseUrl, DATA_DIR: dataDirectory } = session.settings().environment
  if (!databaseUrl) return skipped('DATABASE_READ_URL is not set: visitors read from the primary')
  const fix = 'Check DATABASE_READ_URL, and that the server is a streaming replica. Visitors read from the primary meanwhile.'
  try {
    const replica = await openDatabase({ dataDirectory, databaseUrl })
    try {
      const [row] = await replica.sql.query<{ is_copy: boolean }>('SELECT pg_is_in_recovery() AS is_copy')
      return row?.is_copy ? passed('responds') : warned('the server is not a replica', fix)
    } finally {
      await replica.close()
    }
  } catch (error) {
    return warned(`the replica does not respond: ${reasonOf(error)}`, fix)
  }
}

async function checkMailQueue(session: Session): Promise<Finding> {
  const reason = await mailOutage((await session.database()).kysely)
  if (reason === undefined) return passed('no e-mails wait after failed attempts')
  return warned(reason, 'Repair the mail server: the e-mails are sent when it responds. schoolgate outbox list shows them.')
}

async function checkWebhooks(session: Session): Promise<Finding> {
  const reason = await failingEndpoints((await session.database()).kysely)
  if (reason === undefined) return passed('no receiver rejects deliveries')
  return warned(reason, 'Repair the receiver: deliveries wait for three days. schoolgate webhooks deliveries <endpoint> shows them.')
}

async function checkMail(session: Session, mailTo: string | undefined): Promise<Finding> {
  const { SMTP_URL: url, MAIL_FROM: from } = session.settings().environment
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
