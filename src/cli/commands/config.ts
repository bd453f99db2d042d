import type { Command } from 'commander'
import { parse } from 'yaml'
import { printConfig } from '../../config/print.ts'
import { readSecretKeys } from '../../config/secrets.ts'
import { asJson, define, type JsonOption } from '../define.ts'
import type { Session } from '../session.ts'

/** `config check` and `config print`. */
export function addConfig(program: Command, { terminal, settings }: Session): void {
  const config = define(program, {
    form: 'config',
    about: 'Look at the configuration.',
    examples: ['config check', 'config print'],
  })

  define(config, {
    form: 'check',
    about: 'Check the environment and every file, and name every mistake. Opens nothing.',
    examples: ['config check'],
  }).action(() => {
    const { environment, config } = settings()
    const issuers = config.schools.map(({ issuer }) => issuer)
    // Without the file a secret would be made, which is not for a check to do.
    if (environment.SECRET_KEY_FILE) readSecretKeys({ environment, issuers })
    const schools = config.schools.map(({ slug, issuer }) => `  ${slug}  ${issuer}\n`)
    terminal.out(`${environment.CONFIG_DIR} is right. Schools:\n${schools.join('')}`)
  })

  asJson(
    define(config, {
      form: 'print',
      about: 'Show the configuration that is in force, defaults included, secrets masked.',
      examples: ['config print', 'config print --json'],
    }),
  ).action(({ json }: JsonOption) => {
    const { environment, config } = settings()
    const text = printConfig(config, environment)
    terminal.out(json ? `${JSON.stringify(parse(text), undefined, 2)}\n` : text)
  })
}
