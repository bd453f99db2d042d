// Proves RFC 8414 section 2: An issuer is https unless it is loopback

import { describe, expect, test } from 'vitest'
import { ConfigError } from '../../src/config/configErrors.ts'
import { readEnvironment } from '../../src/config/environment.ts'
import { ignoredVariables } from '../../src/config/ignoredVariables.ts'

function complaint(given: Record<string, string>): string {
  try {
    readEnvironment(given)
  } catch (error) {
    if (error instanceof ConfigError) return error.message
    throw error
  }
  return 'nothing wrong'
}

test('without any variable everything has its default, and an empty one counts as absent', () => {
  expect(readEnvironment({ PATH: '/bin', PORT: '', SECRET_KEY: undefined })).toEqual({
    PORT: 3000,
    HOST: '127.0.0.1',
    CACHES: 'on',
    ADMIN_PORT: 9464,
    BASE_URL: 'http://127.0.0.1:3000',
    CONFIG_DIR: './config',
    DATA_DIR: './data',
    RATE_LIMITS: 'on',
    WORKERS: 1,
    START_TIMEOUT_SECONDS: 60,
    LOG_FORMAT: 'auto',
  })
})

test('strings are converted to values', () => {
  const [first, second] = ['a'.repeat(32), 'b'.repeat(40)]
  expect(
    readEnvironment({
      PORT: '8080',
      WORKERS: '4',
      DATABASE_URL: 'postgres://db/x',
      SECRET_KEY: `${first}, ${second}`,
      BASE_URL: 'https://s.example.com',
    }),
  ).toMatchObject({ PORT: 8080, WORKERS: 4, SECRET_KEY: [first, second], BASE_URL: 'https://s.example.com' })
  expect(readEnvironment({ PORT: '8080' }).BASE_URL).toBe('http://127.0.0.1:8080')
})

const databaseForm =
  'DATABASE_URL  must be a postgres:// address, in which @, / and # of a password are written as %40, %2F and %23; pooler in its query must be session or transaction'

describe('an invalid variable is rejected with a message that contains the rule but not the value', () => {
  const long = 'x'.repeat(32)
  const bucket = 'must be an s3:// address such as s3://schoolgate-files?endpoint=https://s3.example.com'
  const origin = 'must be an origin such as https://school.example.com, without a trailing slash (http:// is for loopback hosts only)'
  test.each<[Record<string, string>, string]>([
    [{ PORT: '70000' }, 'PORT  must be a port'],
    [{ PORT: 'http' }, 'PORT  must be a port'],
    [{ ADMIN_PORT: '-1' }, 'ADMIN_PORT  must be a port'],
    [{ PORT: '9464' }, 'ADMIN_PORT  must differ from PORT: choose another port'],
    [{ BASE_URL: 'http://school.example.com' }, `BASE_URL  ${origin}`],
    [{ BASE_URL: 'http://127.0.0.1.example.com' }, `BASE_URL  ${origin}`],
    [{ BASE_URL: 'https://school.example.com/' }, `BASE_URL  ${origin}`],
    [{ HOST: 'foo bar' }, 'HOST  must be an IP address or a host name'],
    [{ HOST: '[::1]' }, 'HOST  must be an IP address or a host name'],
    [{ START_TIMEOUT_SECONDS: '1h' }, 'START_TIMEOUT_SECONDS  must be a whole number from 0 to 3600'],
    [{ DATABASE_URL: 'mysql://x' }, databaseForm],
    [{ DATABASE_URL: 'postgres://u:p@secret/s#w@127.0.0.1/db' }, databaseForm],
    [{ DATABASE_URL: 'postgres://u:secret#w@127.0.0.1/db' }, databaseForm],
    [{ STORAGE_URL: 'https://files' }, `STORAGE_URL  ${bucket}`],
    [{ STORAGE_URL: 's3://files/folder' }, `STORAGE_URL  ${bucket}`],
    [
      { STORAGE_URL: 's3://files?endpont=https://s3.example.com' },
      'STORAGE_URL  has the parameter endpont, which is not known; did you mean endpoint?',
    ],
    [{ STORAGE_URL: 's3://files?secret=x' }, 'STORAGE_URL  has the parameter secret, which is not known: use endpoint and region only'],
    [{ STORAGE_URL: 's3://files?endpoint=s3.example.com' }, 'STORAGE_URL  must have an http:// or https:// address as its endpoint'],
    [
      { STORAGE_URL: 's3://key:secret@files' },
      'STORAGE_URL  must not contain credentials: they come from the standard AWS sources, such as AWS_ACCESS_KEY_ID',
    ],
    [{ REDIS_URL: 'http://x' }, 'REDIS_URL  must be a redis://, redis+sentinel:// or redis+cluster:// address'],
    [
      { SECRET_KEY: 'hunter2' },
      'SECRET_KEY  must be secrets of at least 32 characters, separated by commas (SECRET_KEY_FILE names a file)',
    ],
    [
      { SECRET_KEY: 'file:/run/secrets/schoolgate/secret_key' },
      'SECRET_KEY  must be secrets of at least 32 characters, separated by commas (SECRET_KEY_FILE names a file)',
    ],
    [
      { SECRET_KEY: `${long},short` },
      'SECRET_KEY  must be secrets of at least 32 characters, separated by commas (SECRET_KEY_FILE names a file)',
    ],
    [{ SECRET_KEY: long, SECRET_KEY_FILE: '/x' }, 'SECRET_KEY_FILE  must not be set together with SECRET_KEY: remove one of them'],
    [{ DEMO: 'yes' }, 'DEMO  must be on or off'],
    [{ DEMO_PASSWORD: 'short' }, 'DEMO_PASSWORD  must be a password of at least 8 characters'],
    [{ DEMO_NOW: 'yesterday' }, 'DEMO_NOW  must be a time such as 2026-01-01T00:00:00Z'],
    [{ RATE_LIMITS: 'of' }, 'RATE_LIMITS  must be on or off; did you mean on?'],
    [{ DATABASE_URL: 'postgres://db/x?pooler=statement' }, databaseForm],
    [{ WORKERS: '65', DATABASE_URL: 'postgres://db/x' }, 'WORKERS  must be a whole number from 1 to 64'],
    [{ WORKERS: '2' }, 'WORKERS  must be 1 with the embedded database, which only one process can open: set DATABASE_URL for more'],
    [{ LOG_LEVEL: 'inof' }, 'LOG_LEVEL  must be trace or debug or info or warn or error or fatal or silent; did you mean info?'],
  ])('%j', (given, message) => {
    expect(complaint(given)).toBe(`environment  ${message}`)
  })

  test('all of them together', () => {
    expect(complaint({ PORT: 'x', WORKERS: '2', SECRET_KEY: 'x' }).split('\n')).toHaveLength(3)
  })
})

describe('a variable that is probably misspelt is reported with the name that was meant', () => {
  test.each([
    ['DATABSE_URL', 'DATABASE_URL'],
    ['DATABASEURL', 'DATABASE_URL'],
    ['database_url', 'DATABASE_URL'],
    ['BASEURL', 'BASE_URL'],
    ['SECRETKEY', 'SECRET_KEY'],
    ['REDIS_URI', 'REDIS_URL'],
    ['SECRET_KEY_FLIE', 'SECRET_KEY_FILE'],
    ['STORAGE-URL', 'STORAGE_URL'],
  ])('%s', (name, meant) => {
    expect(ignoredVariables({ [name]: 'a secret value' })).toEqual([
      { file: 'environment', key: name, expected: 'is not a known variable and is ignored', nearest: meant },
    ])
    expect(ignoredVariables({ [name]: 'x', [meant]: 'y' }), 'both are set').toEqual([])
  })

  test('a variable of an earlier release is reported with what applies instead', () => {
    const expected = 'no longer exists and is ignored: visitors read from DATABASE_URL. Remove it'
    const given = { DATABASE_READ_URL: 'postgres://replica/x', DATABASE_URL: 'postgres://db/x' }
    expect(ignoredVariables(given)).toEqual([{ file: 'environment', key: 'DATABASE_READ_URL', expected }])
  })

  test('but not the variables of shells, containers, package managers and other programs', () => {
    const others = [
      ...['PATH', 'HOME', 'HOSTNAME', 'HOSTTYPE', 'PWD', 'SHLVL', 'TERM', 'LANG', 'USER', 'POST', 'PORTS', 'TMPDIR', 'LOGNAME', 'EDITOR'],
      ...['NODE_ENV', 'NODE_OPTIONS', 'NODE_VERSION', 'NODE_COMPILE_CACHE', 'npm_config_cache', 'npm_package_name', 'YARN_VERSION'],
      ...['KUBERNETES_PORT', 'KUBERNETES_SERVICE_HOST', 'SCHOOLGATE_PORT', 'REDIS_PORT', 'DATABASE_PORT', 'PGHOST', 'PGPORT', 'RUN_FROM'],
      ...[
        'AWS_REGION',
        'AWS_ACCESS_KEY_ID',
        'OTEL_SERVICE_NAME',
        'OTEL_EXPORTER_OTLP_PROTOCOL',
        'HTTP_PROXY',
        'NO_PROXY',
        'UV_THREADPOOL_SIZE',
      ],
    ]
    expect(ignoredVariables(Object.fromEntries(others.map((name) => [name, 'x'])))).toEqual([])
    expect(ignoredVariables({ DATABSE_URL: '' }), 'an empty one').toEqual([])
  })
})
