import { keysOf } from '../base/text/keysOf.ts'
import type { ConsentScope } from './consentScope.ts'
import type { Texts } from './texts.ts'

const presetQuery = 'select'
const presetKeys = { none: 'consent.preset_none', read: 'consent.preset_read', all: 'consent.preset_all' } as const

/** Other boxes, ticked with one press. */
export interface ConsentPreset {
  href: string
  label: string
  ticked: keyof typeof presetKeys
  isCurrent: boolean
}

export const presetOf = (query: NodeJS.Dict<string | string[]>): ConsentPreset['ticked'] | undefined =>
  keysOf(presetKeys).find((one) => one === query[presetQuery])

/** Returns the presets that differ for these scopes. */
export function presetsOf(
  texts: Texts,
  scopes: readonly ConsentScope[],
  { path, current, signsIn }: { path: string; current: ConsentPreset['ticked'] | undefined; signsIn: boolean },
): ConsentPreset[] {
  const [reads, writes] = [scopes.some(({ verb }) => verb !== 'write'), scopes.some(({ verb }) => verb === 'write')]
  const shown = keysOf(presetKeys).filter((one) => scopes.length > 0 && (one === 'none' || (one === 'read' ? reads : writes)))
  return shown.map((ticked) => ({
    ...{ ticked, href: `${path}?${presetQuery}=${ticked}`, isCurrent: ticked === current },
    label: texts.text(ticked === 'none' && !signsIn ? 'consent.untick_all' : presetKeys[ticked]),
  }))
}
