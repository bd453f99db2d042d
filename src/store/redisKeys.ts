/**
 * Returns the beginning of every key of a school. The braces put all keys of a school into one slot of a cluster, so that one script or one
 * pipeline can use several of them. `prefix` must not contain braces.
 */
export const schoolPrefix = (schoolId: string, prefix = ''): string => `${prefix}sg:{${schoolId}}:`
