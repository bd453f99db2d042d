import type { ConfigIssue } from './configErrors.ts'
import { ConfigFileError, readConfigFile } from './configFile.ts'

type Variables = Record<string, string | undefined>

const withPasswords = ['DATABASE_URL', 'REDIS_URL', 'SMTP_URL', 'OTEL_EXPORTER_OTLP_HEADERS'] as const

export function withSecretFiles(given: Variables): { variables: Variables; issues: ConfigIssue[] } {
  const variables = { ...given }
  const issues: ConfigIssue[] = []
  for (const name of withPasswords) {
    const path = given[`${name}_FILE`]
    if (!path) continue
    const read = given[name] ? { issue: `must not be set together with ${name}: remove one of them` } : valueIn(path)
    if ('issue' in read) issues.push({ file: 'environment', key: `${name}_FILE`, expected: read.issue })
    else variables[name] = read.value
  }
  return { variables, issues }
}

function valueIn(path: string): { value: string } | { issue: string } {
  try {
    const value = readConfigFile(path)?.trim()
    if (value === undefined) return { issue: 'must name a file that exists' }
    return value === '' ? { issue: 'must name a file that is not empty' } : { value }
  } catch (error) {
    if (error instanceof ConfigFileError) return { issue: `must name a readable file: the file ${error.message}` }
    throw error
  }
}
