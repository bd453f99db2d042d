import { fromPublicId, toPublicId } from '../lib/ids.ts'

/** What a school sells or gives, by type: the prefix of its ids. */
export const itemPrefixes = { course: 'crs', digital_product: 'dgp', membership_plan: 'mpl', event: 'evt' } as const

export type ItemType = keyof typeof itemPrefixes

export const itemTypes = Object.keys(itemPrefixes) as [ItemType, ...ItemType[]]

/** An item as rows hold it. */
export interface StoredItem {
  type: ItemType
  id: string
}

/** The item as the API names it. */
export const publicItem = ({ type, id }: { type: string; id: string }) => ({ type, id: toPublicId(itemPrefixes[type as ItemType], id) })

/** The item that the API names, or undefined where its id is not of its type. */
export function storedItem({ type, id }: { type: string; id: string }): StoredItem | undefined {
  const stored = fromPublicId(itemPrefixes[type as ItemType], id)
  return stored === undefined ? undefined : { type: type as ItemType, id: stored }
}

/** The stored id in a public one of whatever type. */
export function storedIdOf(publicId: string): string | undefined {
  return Object.values(itemPrefixes)
    .map((prefix) => fromPublicId(prefix, publicId))
    .find((id) => id !== undefined)
}
