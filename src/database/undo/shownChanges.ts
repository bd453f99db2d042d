import type { SchoolReader } from '../connection/database.ts'
import type { ShownChange } from './capture.ts'
import type { Effect } from './effect.ts'

/** The most changes that are shown of a request, and characters of their JSON. */
const [maxShown, maxShownText] = [100, 50_000]

/** Returns the changes that are kept to be shown. */
export function firstShown(shown: readonly ShownChange[]): ShownChange[] {
  let left = maxShownText
  return shown.slice(0, maxShown).filter((one) => {
    left -= JSON.stringify(one).length
    return left >= 0
  })
}

/** The part of an effect that is kept. What an earlier release kept has the changes only. */
export type KeptEffect = Pick<Effect, 'changes'> & Partial<Effect>

/** Returns the effects of requests, by the ids of their entries. Those about erased people are deleted. */
export async function openEffects(
  reader: SchoolReader,
  ids: readonly string[],
  { open }: { open(sealed: string): string | undefined },
): Promise<Map<string, KeptEffect>> {
  if (ids.length === 0) return new Map()
  const records = await reader
    .selectFrom('undo_record')
    .select(['id', 'effect'])
    .where('id', 'in', ids)
    .where('effect', 'is not', null)
    .execute()
  const images = await reader
    .selectFrom('undo_image')
    .select(['record_id as id', 'effect'])
    .where('record_id', 'in', ids)
    .where('effect', 'is not', null)
    .orderBy('person_id')
    .execute()
  const effects = new Map<string, KeptEffect>()
  for (const { id, effect } of [...records, ...images]) {
    const text = effect === null ? undefined : open(effect)
    if (text === undefined) continue
    const part: KeptEffect | ShownChange[] = JSON.parse(text)
    const { changes, ...rest } = Array.isArray(part) ? { changes: part } : part
    const earlier = effects.get(id)
    effects.set(id, { ...earlier, ...rest, changes: [...(earlier?.changes ?? []), ...changes].slice(0, maxShown) })
  }
  return effects
}
