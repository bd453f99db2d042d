import { isVisible, refusedCharacter } from '../../base/text/visibleText.ts'
import type { Texts } from '../texts.ts'

export const appNameField = 'name'

/** So many characters a name can have. */
export const maxAppName = 60

/** Returns the name that a person gave an app, null for no name, or the error to show. */
export function readAppName(texts: Texts, typed: string): { name: string | null } | { error: string } {
  const name = typed.normalize('NFC').trim()
  if (name === '') return { name: null }
  const character = refusedCharacter(name)
  if (character !== undefined) return { error: texts.text('app_name.refused', { character }) }
  if ([...name].length > maxAppName) return { error: texts.text('app_name.long', { max: maxAppName }) }
  return isVisible(name) ? { name: name.toWellFormed() } : { error: texts.text('app_name.invisible') }
}
