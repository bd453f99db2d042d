import { fromPublicId, toPublicId } from '../base/ids.ts'
import { keysOf } from '../base/text/keysOf.ts'

/** The types of items that a school sells or grants, with the prefix of their ids. */
const itemPrefixes = { course: 'crs', digital_product: 'dgp', membership_plan: 'mpl', event: 'evt' } as const

export type ItemType = keyof typeof itemPrefixes

export const itemTypes = keysOf(itemPrefixes)

export interface StoredItem {
  type: ItemType
  id: string
}

export const publicItem = <Type extends string>({ type, id }: { type: Type; id: string }) => ({
  type,
  id: toPublicId(itemPrefixes[type as ItemType], id),
})

/** Returns the item of a request as the database stores it, or undefined if the id does not belong to the type. */
export function storedItem({ type, id }: { type: string; id: string }): StoredItem | undefined {
  const stored = fromPublicId(itemPrefixes[type as ItemType], id)
  return stored === undefined ? undefined : { type: type as ItemType, id: stored }
}

export function storedIdOf(publicId: string): string | undefined {
  return Object.values(itemPrefixes)
    .map((prefix) => fromPublicId(prefix, publicId))
    .find((id) => id !== undefined)
}
