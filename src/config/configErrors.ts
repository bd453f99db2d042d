export interface ConfigIssue {
  file: string
  line?: number | undefined
  /** Dotted path of the key; empty if the error concerns the whole file. */
  key: string
  /** The rule, as the end of a sentence that begins with the key. */
  expected: string
  nearest?: string | undefined
}

export class ConfigError extends Error {
  readonly issues: readonly ConfigIssue[]

  constructor(issues: readonly ConfigIssue[]) {
    super(issues.map(printIssue).join('\n'))
    this.name = 'ConfigError'
    this.issues = issues
  }
}

/** Returns true if the error is a `ConfigError`, also one of another copy of this module: src/main.mjs runs from the source, its program from the bundle. */
export const isConfigError = (error: unknown): error is ConfigError => error instanceof Error && error.name === 'ConfigError'

/** Formats an error: `config/oauth.yaml:12  lifetimes.acces_token_seconds  is not a known key; did you mean access_token_seconds?` */
export function printIssue({ file, line, key, expected, nearest }: ConfigIssue): string {
  const place = line === undefined ? file : `${file}:${line}`
  const hint = nearest === undefined ? '' : `; did you mean ${nearest}?`
  return [place, key, `${expected}${hint}`].filter(Boolean).join('  ')
}
