import { randomInt, randomUUID } from 'node:crypto'
import { closeSync, existsSync, fsyncSync, linkSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { randomToken } from '../base/keyring.ts'
import { errorCode } from '../base/log/errorCode.ts'
import { type AddressEnvironment, publicAddressIssues } from './acrossFiles.ts'
import { ConfigError } from './configErrors.ts'
import { ConfigFileError, readConfigFile, reasonOf } from './configFile.ts'
import { type Environment, platformKeys, secretKeys } from './environment.ts'

export interface SecretArguments {
  environment: AddressEnvironment & Pick<Environment, 'DATA_DIR'>
  issuers: readonly string[]
  /** False for a program that uses the data of a service: it gets the secret of the service or an error. */
  mayCreate?: boolean
}

/**
 * Returns the root secrets, newest first: from SECRET_KEY or SECRET_KEY_FILE, otherwise one that is generated once under DATA_DIR.
 * A secret is generated only if every issuer is loopback, because a second machine would generate a different one.
 * @throws ConfigError
 */
export function readSecretKeys({ environment, issuers, mayCreate = true }: SecretArguments): readonly string[] {
  if (environment.SECRET_KEY) return environment.SECRET_KEY
  if (environment.SECRET_KEY_FILE) return parse(environment.SECRET_KEY_FILE, readSecretFile(environment.SECRET_KEY_FILE, 'SECRET_KEY_FILE'))
  const missing = publicAddressIssues(environment, issuers).filter(({ key }) => key === 'SECRET_KEY')
  if (missing.length > 0) throw new ConfigError(missing)
  const path = join(environment.DATA_DIR, 'secret_key')
  if (!mayCreate && !existsSync(path)) {
    const expected = `is not set, and ${path} does not exist: set SECRET_KEY or DATA_DIR as the service has it`
    throw new ConfigError([{ file: 'environment', key: 'SECRET_KEY', expected }])
  }
  return parse(
    path,
    keepSecret(path, 'SECRET_KEY', () => randomToken(384)),
  )
}

/**
 * Returns the keys of the platform intake, from PLATFORM_KEY or PLATFORM_KEY_FILE; none if neither is set.
 * @throws ConfigError
 */
export function readPlatformKeys({
  PLATFORM_KEY: keys,
  PLATFORM_KEY_FILE: path,
}: Pick<Environment, 'PLATFORM_KEY' | 'PLATFORM_KEY_FILE'>): readonly string[] {
  if (keys) return keys
  if (path === undefined) return []
  const { data, error } = platformKeys.safeParse(readSecretFile(path, 'PLATFORM_KEY_FILE'))
  if (data) return data
  throw secretError(path, error.issues.map(({ message }) => message).join('; '))
}

/** Returns the password of the demo accounts: DEMO_PASSWORD, otherwise one that is generated once under DATA_DIR. */
export function readDemoPassword({
  DEMO_PASSWORD: password,
  DATA_DIR: directory,
}: Pick<Environment, 'DEMO_PASSWORD' | 'DATA_DIR'>): string {
  return password ?? keepSecret(join(directory, 'demo_password'), 'DEMO_PASSWORD', readablePassword)
}

function parse(path: string, text: string): string[] {
  const { data, error } = secretKeys.safeParse(text)
  if (data) return data
  throw secretError(
    path,
    `${error.issues.map(({ message }) => message).join('; ')}. Restore the original secret: stored keys and codes cannot be read with another one`,
  )
}

/** Returns the content of the file and creates it if it does not exist. Two processes that start at the same time get the same content. */
function keepSecret(path: string, variable: string, make: () => string): string {
  try {
    if (readConfigFile(path) === undefined) publish(path, `${make()}\n`)
  } catch (error) {
    throw secretError(
      path,
      error instanceof ConfigFileError
        ? error.message
        : `cannot be created: ${reasonOf(error)}. Make DATA_DIR writable, or set ${variable}`,
    )
  }
  return readSecretFile(path, variable)
}

function readSecretFile(path: string, variable: string): string {
  try {
    const text = readConfigFile(path)?.trim()
    if (text) return text
    throw secretError(
      path,
      text === undefined ? `does not exist: create the file that ${variable} names` : `is empty: remove it, or set ${variable}`,
    )
  } catch (error) {
    throw error instanceof ConfigFileError ? secretError(path, error.message) : error
  }
}

// A hard link publishes the complete file atomically and never replaces an existing one.
function publish(path: string, text: string): void {
  mkdirSync(join(path, '..'), { recursive: true, mode: 0o700 })
  const draft = `${path}.${randomUUID()}`
  const file = openSync(draft, 'wx', 0o600)
  try {
    writeSync(file, text)
    fsyncSync(file)
    linkSync(draft, path)
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error
  } finally {
    closeSync(file)
    rmSync(draft, { force: true })
  }
}

/** Generates four groups of base58 characters, which do not look alike: 93 bits. */
function readablePassword(): string {
  const base58Alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
  const group = (): string => Array.from({ length: 4 }, () => base58Alphabet[randomInt(base58Alphabet.length)]).join('')
  return Array.from({ length: 4 }, group).join('-')
}

const secretError = (file: string, expected: string): ConfigError => new ConfigError([{ file, key: '', expected }])
