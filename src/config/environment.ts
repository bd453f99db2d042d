import { z } from 'zod'
import { emailForm } from '../base/text/emailAddress.ts'
import { nearest } from '../base/text/nearest.ts'
import { origin } from './address.ts'
import { isDatabase, isHost, isMailServer, storageRule } from './addressForms.ts'
import { adminHosts } from './adminHosts.ts'
import { ConfigError, type ConfigIssue } from './configErrors.ts'
import { withSecretFiles } from './secretFiles.ts'
import { tracingVariables } from './tracing.ts'

const text = () => z.string().min(1)
const number = (least: number, most: number) => z.coerce.number<string>().int().min(least).max(most)
const port = (standard: number, description: string) =>
  number(0, 65_535)
    .default(standard)
    .meta({ title: 'a port', description, examples: [String(standard)] })

const fileOf = (name: string, example: string) =>
  text()
    .optional()
    .meta({ title: 'a file', description: `File that contains the value of ${name}; use it instead of ${name}.`, examples: [example] })

const database = (description: string, example: string) =>
  z
    .string()
    .refine(isDatabase)
    .optional()
    .meta({
      title:
        'a postgres:// address, in which @, / and # of a password are written as %40, %2F and %23; pooler in its query must be session or transaction',
      description,
      examples: [example],
      writeOnly: true,
    })

const listed = () =>
  z.string().transform((list) =>
    list
      .split(',')
      .map((secret) => secret.trim())
      .filter(Boolean),
  )

/** A comma-separated list of keys of the platform intake. They are sent in a header. */
export const platformKeys = listed().refine(
  (list) => list.length > 0 && list.every((key) => /^[\x21-\x7e]{32,1000}$/.test(key)),
  'every key must have at least 32 ASCII characters without spaces',
)

/** A comma-separated list of root secrets, newest first. */
export const secretKeys = listed().refine(
  (list) => list.length > 0 && list.every((secret) => secret.length >= 32 && !secret.startsWith('file:')),
  'every secret must have at least 32 characters',
)

/** The environment variables: secrets and addresses. All other settings are in the configuration files. */
export const variables = {
  PORT: port(3000, 'Port to listen on.'),
  HOST: z
    .string()
    .refine(isHost)
    .default('127.0.0.1')
    .meta({
      title: 'an IP address or a host name',
      description: 'Address to listen on; 0.0.0.0 in a container.',
      examples: ['0.0.0.0'],
    }),
  ADMIN_PORT: port(9464, 'Health, readiness and metrics, on HOST. Never route it through the gateway.'),
  ADMIN_HOSTS: adminHosts,
  BASE_URL: origin.optional().meta({
    title: 'an origin such as https://school.example.com, without a trailing slash (http:// is for loopback hosts only)',
    description: 'Public address of the demo school. Default: http://127.0.0.1:PORT.',
    examples: ['http://127.0.0.1:3000'],
  }),
  CONFIG_DIR: text()
    .default('./config')
    .meta({ title: 'a directory', description: 'Directory of the configuration files.', examples: ['/etc/schoolgate'] }),
  DATA_DIR: text()
    .default('./data')
    .meta({ title: 'a directory', description: 'Directory of the data on disk.', examples: ['/var/lib/schoolgate'] }),
  DATABASE_URL: database(
    'PostgreSQL 15 or later. Behind a pooler such as PgBouncer, add pooler=session or pooler=transaction, its pool_mode. Default: an embedded database under DATA_DIR.',
    'postgres://schoolgate@db/schoolgate',
  ),
  DATABASE_URL_FILE: fileOf('DATABASE_URL', '/run/secrets/database_url'),
  REDIS_URL: z
    .string()
    .regex(/^rediss?(\+(sentinel|cluster))?:\/\//)
    .optional()
    .meta({
      title: 'a redis://, redis+sentinel:// or redis+cluster:// address',
      description: 'Redis for sessions, codes, access tokens and rate limits. Default: the database.',
      examples: ['redis://redis:6379'],
      writeOnly: true,
    }),
  REDIS_URL_FILE: fileOf('REDIS_URL', '/run/secrets/redis_url'),
  STORAGE_URL: z
    .string()
    .superRefine(storageRule)
    .optional()
    .meta({
      title: 'an s3:// address',
      description:
        'Bucket for files. Add endpoint and region for a provider other than Amazon. The credentials come from the standard AWS sources, such as AWS_ACCESS_KEY_ID. Default: DATA_DIR/files.',
      examples: ['s3://schoolgate-files?endpoint=https://s3.example.com'],
    }),
  SMTP_URL: z
    .string()
    .refine(isMailServer)
    .optional()
    .meta({
      title: 'an smtp:// or smtps:// address',
      description: 'Mail server for e-mails to people. If it is not set, e-mails are saved to DATA_DIR/outbox and not sent.',
      examples: ['smtps://schoolgate:secret@mail.example.com'],
      writeOnly: true,
    }),
  SMTP_URL_FILE: fileOf('SMTP_URL', '/run/secrets/smtp_url'),
  MAIL_FROM: z
    .email({ pattern: emailForm })
    .max(254)
    .optional()
    .meta({
      title: 'an e-mail address',
      description: "Sender address of e-mails, with the school's name. Default: no-reply at the host of the school.",
      examples: ['no-reply@example.com'],
    }),
  SECRET_KEY: secretKeys.optional().meta({
    title: 'secrets of at least 32 characters, separated by commas (SECRET_KEY_FILE names a file)',
    description:
      'Root secret; a list rotates it, newest first. Required unless every issuer is loopback; then it is generated once under DATA_DIR.',
    examples: ['$(openssl rand -base64 48)'],
    writeOnly: true,
  }),
  SECRET_KEY_FILE: fileOf('SECRET_KEY', '/run/secrets/schoolgate'),
  PLATFORM_KEY: platformKeys.optional().meta({
    title: 'keys of at least 32 ASCII characters without spaces, separated by commas',
    description:
      'Key of the platform intake: other systems of the school report orders, payments, comments and forms with it on ADMIN_PORT. A list rotates it. Without it, the intake does not exist.',
    examples: ['$(openssl rand -base64 48)'],
    writeOnly: true,
  }),
  PLATFORM_KEY_FILE: fileOf('PLATFORM_KEY', '/run/secrets/platform_key'),
  DEMO: z
    .enum(['on', 'off'])
    .optional()
    .meta({
      description:
        'on creates and serves the demo school even if an issuer is not loopback, although its password is known. off does not create it. If DEMO is not set, the service does not start with demo accounts and an issuer that is not loopback.',
      examples: ['off'],
    }),
  DEMO_PASSWORD: z
    .string()
    .min(8)
    .optional()
    .meta({
      title: 'a password of at least 8 characters',
      description: 'Password of the demo accounts. Default: generated once under DATA_DIR, and shown at start on a terminal.',
      examples: ['correct horse battery'],
      writeOnly: true,
    }),
  DEMO_NOW: z.iso
    .datetime()
    .optional()
    .meta({
      title: 'a time such as 2026-01-01T00:00:00Z',
      description: 'Time to which the dates of the demo data are relative. Default: the start of today, UTC.',
      examples: ['2026-01-01T00:00:00Z'],
    }),
  CACHES: z
    .enum(['on', 'off'])
    .default('on')
    .meta({
      description:
        'off turns the caches in memory off, to find out whether one of them causes a problem. Every request then costs several times as much.',
      examples: ['off'],
    }),
  RATE_LIMITS: z
    .enum(['on', 'off'])
    .default('on')
    .meta({
      description: 'off turns all limits off, and responses have no RateLimit headers; allowed only if every issuer is a loopback address.',
      examples: ['off'],
    }),
  WORKERS: number(1, 64)
    .default(1)
    .meta({
      title: 'a whole number from 1 to 64',
      description: 'Number of processes. More than one requires DATABASE_URL.',
      examples: ['2'],
    }),
  START_TIMEOUT_SECONDS: number(0, 3600)
    .default(60)
    .meta({
      title: 'a whole number from 0 to 3600',
      description: 'Seconds to wait for PostgreSQL and Redis at start. After that, the process exits with code 1.',
      examples: ['300'],
    }),
  ...tracingVariables,
  OTEL_EXPORTER_OTLP_HEADERS_FILE: fileOf('OTEL_EXPORTER_OTLP_HEADERS', '/run/secrets/otlp_headers'),
  LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'])
    .optional()
    .meta({ description: 'Log level. Default: info; warn if the log is formatted for a terminal.', examples: ['debug'] }),
  LOG_FORMAT: z
    .enum(['auto', 'pretty', 'json'])
    .default('auto')
    .meta({
      description: 'Format of the log: pretty for people, json for programs. auto is pretty on a terminal and json elsewhere.',
      examples: ['json'],
    }),
}

const schema = z.object(variables)

export type Environment = Omit<z.output<typeof schema>, 'BASE_URL'> & { BASE_URL: string }

/**
 * Reads the variables of the service. An empty variable counts as absent.
 * @throws ConfigError with every error; it never contains the value of a variable
 */
export function readEnvironment(variablesGiven: Record<string, string | undefined>): Environment {
  const { variables: given, issues: fileIssues } = withSecretFiles(variablesGiven)
  const present = Object.fromEntries(Object.keys(variables).flatMap((name) => (given[name] ? [[name, given[name]]] : [])))
  const { data, error } = schema.safeParse(present)
  const issues: ConfigIssue[] = [
    ...fileIssues,
    ...(error?.issues ?? []).map((issue) => {
      const key = String(issue.path[0])
      const values = issue.code === 'invalid_value' ? issue.values.map(String) : []
      if (issue.code === 'custom' && issue.params) return { file: 'environment', key, expected: String(issue.params.expected) }
      const title = (variables as Record<string, z.ZodType>)[key]?.meta()?.title ?? values.join(' or ')
      return { file: 'environment', key, expected: `must be ${title}`, nearest: nearest(given[key] ?? '', values) }
    }),
  ]
  if (Number(present.WORKERS) > 1 && !present.DATABASE_URL) {
    issues.push({
      file: 'environment',
      key: 'WORKERS',
      expected: 'must be 1 with the embedded database, which only one process can open: set DATABASE_URL for more',
    })
  }
  for (const name of ['SECRET_KEY', 'PLATFORM_KEY']) {
    if (!present[name] || !present[`${name}_FILE`]) continue
    issues.push({ file: 'environment', key: `${name}_FILE`, expected: `must not be set together with ${name}: remove one of them` })
  }
  if (data && data.PORT !== 0 && data.PORT === data.ADMIN_PORT)
    issues.push({ file: 'environment', key: 'ADMIN_PORT', expected: 'must differ from PORT: choose another port' })
  if (!data || issues.length > 0) throw new ConfigError(issues)
  return { ...data, BASE_URL: data.BASE_URL ?? `http://127.0.0.1:${data.PORT}` }
}
