import type { SeededRandom } from '../seededRandom.ts'

/** Remembers values of earlier responses, so that later requests reach existing objects. */
export interface Memory {
  /** Remembers the ids, slugs, cursors and numbers in a response, and the entity tag of its object. */
  learn(text: string, entityTag?: string): void
  /** An id with this prefix, such as `crs`. */
  id(random: SeededRandom, prefix: string): string | undefined
  anyId(random: SeededRandom): string | undefined
  /** A value that a member of this name had: `slug`, `number`, `code`, `next_cursor`. */
  value(random: SeededRandom, name: string): string | undefined
  /** The latest entity tag of the object with this id. */
  entityTag(id: string): string | undefined
}

/** Old values are dropped, so that requests reach new objects too. */
const kept = 60

export function createMemory(): Memory {
  const ids = new Map<string, string[]>()
  const values = new Map<string, string[]>()
  const tags = new Map<string, string>()
  const add = (map: Map<string, string[]>, key: string, value: string): void => {
    const list = map.get(key) ?? []
    if (list.includes(value)) return
    map.set(key, [...list.slice(-kept + 1), value])
  }
  const one = (random: SeededRandom, list: readonly string[] | undefined): string | undefined =>
    list?.length ? random.pick(list) : undefined
  return {
    learn(text, entityTag) {
      const bounded = text.slice(0, 50_000)
      for (const [id, prefix = ''] of bounded.matchAll(/\b([a-z]{2,5})_[0-9a-hjkmnp-tv-z]{26}\b/g)) add(ids, prefix, id)
      for (const [, name = '', value = ''] of bounded.matchAll(/"(slug|number|code|next_cursor|upload_url|email)":"([^"\\]{1,600})"/g))
        add(values, name, value)
      const own = /^\{"id":"(\w+)"/.exec(bounded)?.[1]
      if (own && entityTag) tags.set(own, entityTag)
    },
    id: (random, prefix) => one(random, ids.get(prefix)),
    anyId: (random) => one(random, ids.get(random.pick([...ids.keys(), 'crs']))),
    value: (random, name) => one(random, values.get(name)),
    entityTag: (id) => tags.get(id),
  }
}
