import { parse } from 'yaml'
import { ConfigError, printIssue } from '../../../config/configErrors.ts'
import { checkDataDirectory } from '../../../config/dataDirectory.ts'
import { unknownIntrospectionClients } from '../../../config/introspectionClients.ts'
import { printConfig } from '../../../config/print.ts'
import { readPlatformKeys, readSecretKeys } from '../../../config/secrets.ts'
import type { Settings } from '../../serve/start.ts'
import { command, group, jsonOption } from '../command.ts'
import { failure } from '../failures.ts'

const check = command({
  name: 'check',
  summary: `Check the environment and every file, and report every error. Does not connect to a server or open a port. Likely errors, such as
an introspection client that is not in the file of any school, are warnings.`,
  examples: ['config check', 'config check --json'],
  options: jsonOption,
  run({ terminal, settings }, { json }) {
    try {
      const { environment, config, warnings: ignored } = checked(settings())
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
  },
})

function checked(settings: Settings): Settings {
  const { environment, config } = settings
  checkDataDirectory(environment)
  // A check must not create the secret file.
  if (environment.SECRET_KEY_FILE) readSecretKeys({ environment, issuers: config.schools.map(({ issuer }) => issuer) })
  readPlatformKeys(environment)
  return settings
}

const print = command({
  name: 'print',
  summary: 'Show the effective configuration with its defaults. Secrets are masked.',
  examples: ['config print', 'config print --json'],
  options: jsonOption,
  run({ terminal, settings }, { json }) {
    const { environment, config } = settings()
    const text = printConfig(config, environment)
    terminal.out(json ? printed(parse(text)) : text)
  },
})

const printed = (value: unknown): string => `${JSON.stringify(value, undefined, 2)}\n`

export const config = group(
  { name: 'config', summary: 'Checks and prints the configuration.', examples: ['config check', 'config print'] },
  [check, print],
)
