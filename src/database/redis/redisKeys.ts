/**
 * Returns the beginning of every key of a school. The braces put all keys of a school into one slot of a cluster, so that one script or one
 * pipeline can use several of them. `prefix` must not contain braces.
 */
export const schoolPrefix = (schoolId: string, prefix = ''): string => `${prefix}sg:{${schoolId}}:`

/**
 * Returns the beginning of the keys that count uses. `prefix` is the name of the service. A limit that is counted over all schools has no
 * school: its key is alone in its slot.
 */
export const countPrefix = (prefix: string, schoolId: string | undefined): string =>
  schoolId === undefined ? `${prefix}:` : `${prefix}:{${schoolId}}:`
