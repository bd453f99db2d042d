import type { ObjectChange } from '../../engine/write/visibleChanges.ts'
import { plainText } from '../plainText.ts'
import type { TextPart, Texts } from '../texts.ts'
import { objectTypeOf } from './changeSentence.ts'
import { valueText } from './requestFacts.ts'

interface Showing {
  /** The object that is named anyway. */
  subject?: string | null | undefined
  /** The names of objects by their ids. */
  names?: ReadonlyMap<string, string>
  /** The most lines. */
  limit: number
}

/** Returns a line for each changed field: “Price: €59.00 → €99.00”. */
export function changeLines(texts: Texts, changes: readonly ObjectChange[], { subject, names = new Map(), limit }: Showing): TextPart[][] {
  const typeText = (type: string): string => texts.text(`activity.type_${objectTypeOf(type)}`)
  const changed = changes.flatMap(({ id, type, label }) => (id === null ? [] : [[id, { name: label ?? typeText(type) }] as const]))
  const named = [...names].flatMap(([id, name]) => (name === '' ? [] : [[id, { name }] as const]))
  const objects = new Map([...changed, ...named])
  const lines = changes.flatMap(({ type, id, label, fields }) => {
    const name = plainText((id !== null && names.get(id)) || label || '', 100)
    const object = name === '' ? typeText(type) : texts.text('activity.labelled', { type: typeText(type), label: name })
    return fields.map(({ field, before, after }) => {
      const show = (value: string | null): string => plainText(valueText(texts, { name: field, value: parsed(value), objects }), 300)
      const values = { field: texts.field(field), from: show(before), to: show(after) }
      return id === subject ? texts.parts('change.field', values) : texts.parts('change.field_of', { ...values, object })
    })
  })
  const more = lines.length - limit
  return more > 1 ? [...lines.slice(0, limit), texts.countedParts('activity.objects_more', more)] : lines
}

/** Returns the value that a text stands for: JSON, unless it is the value itself. */
export function parsed(text: string | null): unknown {
  if (text === null || !/^(?:[[{]|-?\d|true$|false$)/.test(text)) return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
