/** Names the subject of a rate limit: within one school, or as a text that is counted over all schools, such as an address. */
export type LimitKey = string | { schoolId: string; subject: string }

/** Returns the parts of a key. `schoolId` is undefined if the key is counted over all schools. */
export const partsOfLimitKey = (key: LimitKey): { schoolId: string | undefined; subject: string } =>
  typeof key === 'string' ? { schoolId: undefined, subject: key } : key
