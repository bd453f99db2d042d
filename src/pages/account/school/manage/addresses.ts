import { accountPaths } from '../../../../base/accountPaths.ts'
import type { Audience, Role } from '../../../../base/caller.ts'

export const isStaff = (role: Role | undefined): boolean => role !== undefined && role !== 'learner'

/** Returns the audience of a role: owners and admins are the same to the operations. */
export const audienceAs = (role: Role): Audience => (role === 'owner' || role === 'admin' ? 'staff' : role)

/** The part of a path for what has no row: a new one, and what the school has once. */
export const noRow = '-'

export const listAddress = (resource: string): string => `${accountPaths.school}/${resource}`
export const rowAddress = (resource: string, id: string): string => `${listAddress(resource)}/${id}`
export const deedAddress = (resource: string, id: string, operation: string, group?: string): string =>
  `${rowAddress(resource, id)}/${operation}${group === undefined ? '' : `-${group}`}`
