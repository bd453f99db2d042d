import type { Command } from 'commander'
import { parse } from 'yaml'
import { ConfigError, printIssue } from '../../config/configErrors.ts'
import { checkDataDirectory } from '../../config/dataDirectory.ts'
import { unknownIntrospectionClients } from '../../config/introspectionClients.ts'
import { printConfig } from '../../config/print.ts'
import { readPlatformKeys, readSecretKeys } from '../../config/secrets.ts'
import type { Settings } from '../../wiring/start.ts'
import { asJson, define, type JsonOption } from '../define.ts'
import { failure } from '../failures.ts'
import type { Session } from '../session.ts'

/** `config check` and `config print`. */
export function addConfig(program: Command, { terminal, settings }: Session): void {
  const config = define(program, {
    form: 'config',
    about: 'Checks and prints the configuration.',
    examples: ['config check', 'config print'],
  })

  asJson(
    define(config, {
      form: 'check',
      about: `Check the environment and every file, and report every error. Does not connect to a server or open a port. Likely errors, such as
an introspection client that is not in the file of any school, are warnings.`,
      examples: ['config check', 'config check --json'],
    }),
  ).action(({ json }: JsonOption) => {
    try {
      const { environment, config, warnings: ignored } = checked()
      const schools = config.schools.map(({ slug, issuer }) => ({ slug, issuer }))
      const unknown = unknownIntrospectionClients(config)
      const warnings = [...ignored, ...unknown]
      if (json) return terminal.out(printed({ ok: true, directory: environment.CONFIG_DIR, schools, warnings }))
      // The session has printed the others.
      for (const warning of unknown) terminal.err(`warning: ${printIssue(warning)}\n`)
      terminal.out(`${environment.CONFIG_DIR} is valid. Schools:\n${schools.map(({ slug, issuer }) => `  ${slug}  ${issuer}\n`).join('')}`)
    } catch (error) {
      if (!json || !(error instanceof ConfigError)) throw error
      terminal.out(printed({ ok: false, issues: error.issues }))
      throw failure(`the configuration has ${error.issues.length} ${error.issues.length === 1 ? 'error' : 'errors'}`)
    }
  })

  const checked = (): Settings => {
    const { environment, config, ...rest } = settings()
    checkDataDirectory(environment)
    // A check must not create the secret file.
    if (environment.SECRET_KEY_FILE) readSecretKeys({ environment, issuers: config.schools.map(({ issuer }) => issuer) })
    readPlatformKeys(environment)
    return { environment, config, ...rest }
  }

  asJson(
    define(config, {
      form: 'print',
      about: 'Show the effective configuration with its defaults. Secrets are masked.',
      examples: ['config print', 'config print --json'],
    }),
  ).action(({ json }: JsonOption) => {
    const { environment, config } = settings()
    const text = printConfig(config, environment)
    terminal.out(json ? printed(parse(text)) : text)
  })
}

const printed = (value: unknown): string => `${JSON.stringify(value, undefined, 2)}\n`
