import { type Audience, audienceOf, type Viewer } from '../../base/caller.ts'

/**
 * The members of a row that depend on the caller, on the time, or on rows outside of the content of the school: they are read for each
 * request. `people`: only for learners, while all staff get the same value, and all visitors. Processes keep the text of the other members.
 */
export type LiveMembers = Readonly<Record<string, 'always' | 'people'>>

export type MemberPart = 'live' | 'kept'

interface Declared {
  live?: LiveMembers | undefined
}

export const isLive = ({ live }: Declared, field: string, audience: Audience): boolean =>
  live?.[field] === 'always' || (live?.[field] === 'people' && audience === 'learner')

/** True for callers who get the same kept members as everybody with their role. Lecturers see more of what they teach. */
export const sharesTexts = (caller: Viewer): boolean =>
  caller.kind === 'anonymous' || (audienceOf(caller) !== 'lecturer' && (audienceOf(caller) === 'staff' || caller.lecturerId === null))

interface Members<Selected extends { field: string }> extends Declared {
  columns: readonly string[]
  selections: readonly Selected[]
  derivations: readonly { field: string; isSelected: boolean; from: readonly string[] }[]
  hasSlug: boolean
}

/** Returns the columns and selections of a part of the members; without a part, all of them. */
export function partOf<Selected extends { field: string }>(
  resource: Members<Selected>,
  part: MemberPart | undefined,
  caller: Viewer,
): Pick<Members<Selected>, 'columns' | 'selections'> {
  if (part === undefined) return resource
  const isIn = (field: string): boolean => isLive(resource, field, audienceOf(caller)) === (part === 'live')
  const selections = resource.selections.filter(({ field }) => isIn(field))
  if (part === 'kept') return { columns: resource.columns, selections }
  const derived = resource.derivations.filter(({ field, isSelected }) => !isSelected && isIn(field)).flatMap(({ from }) => from)
  const own = resource.columns.filter((column) => isIn(column))
  return { columns: [...new Set(['id', ...(resource.hasSlug ? ['slug'] : []), ...derived, ...own])], selections }
}
