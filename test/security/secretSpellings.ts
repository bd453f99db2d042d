/** A secret of a run: where it came from, its value, and when it ended, if it did. */
export interface IssuedSecret {
  kind: string
  value: string
  /** True once the value gives no access and the service has no reason to keep it: used, revoked, replaced, or typed and checked. */
  hasEnded: boolean
}

/** Returns the kinds of the secrets that a text or memory contains: in plain form, percent-encoded, as hex, and in both forms of base64. */
export function secretsIn(content: string | Buffer, secrets: readonly IssuedSecret[]): string[] {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content
  const spellings = (value: string): string[] => {
    const own = Buffer.from(value)
    return [value, encodeURIComponent(value), own.toString('hex'), own.toString('base64url'), own.toString('base64').replace(/=+$/, '')]
  }
  return secrets.filter(({ value }) => spellings(value).some((spelling) => bytes.includes(spelling))).map(({ kind }) => kind)
}
