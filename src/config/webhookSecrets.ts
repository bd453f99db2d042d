import { reasonOf } from '../base/log/reason.ts'
import type { SchoolAddress } from './acrossFiles.ts'
import type { ConfigIssue } from './configErrors.ts'
import { ConfigFileError, readConfigFile } from './configFile.ts'

/** Returns the secret to which a configuration refers. It is read each time, so that a file can be replaced while the service runs. */
export type ReadSecret = (reference: string) => string

/** @throws Error that says what is wrong with the secret, without quoting it */
export function secretReader(variables: Readonly<Record<string, string | undefined>>): ReadSecret {
  return (reference) => {
    const [, kind, name = ''] = /^(file|env):(.+)$/.exec(reference) ?? []
    const text = (kind === 'env' ? variables[name] : contentOf(name))?.trim()
    if (!text) throw new Error(kind === 'env' ? `the variable ${name} is not set` : `the file ${name} does not exist or is empty`)
    const bytes = /^whsec_[A-Za-z0-9+/]+={0,2}$/.test(text) ? Buffer.from(text.slice(6), 'base64').length : 0
    if (bytes < 24 || bytes > 64)
      throw new Error(`${kind === 'env' ? 'the variable' : 'the file'} ${name} must contain whsec_ and 24 to 64 bytes in base64`)
    return text
  }
}

function contentOf(path: string): string | undefined {
  try {
    return readConfigFile(path)
  } catch (error) {
    throw new Error(error instanceof ConfigFileError ? `the file ${path} ${error.message}` : `the file ${path} cannot be read`)
  }
}

export function webhookSecretIssues(schools: readonly SchoolAddress[], readSecret: ReadSecret): ConfigIssue[] {
  return schools.flatMap(({ file }) =>
    (file.value?.webhooks ?? []).flatMap(({ secrets }, at) =>
      secrets.flatMap((reference, index): ConfigIssue[] => {
        try {
          readSecret(reference)
          return []
        } catch (error) {
          const line = file.lineOf(['webhooks', at, 'secrets', index])
          const expected = `cannot be used: ${reasonOf(error)}`
          return [{ file: file.file, line, key: `webhooks[${at}].secrets[${index}]`, expected }]
        }
      }),
    ),
  )
}
