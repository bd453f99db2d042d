import type { OpenInteraction } from './interaction.ts'

/** The checkbox of the consent page with which a person chooses a manual code: the app runs on another machine. */
export const manualCodeField = { name: 'elsewhere', value: 'yes' } as const

/** Returns true if the redirect URI is a loopback address (RFC 8252 section 7.3): only that can lead to the wrong machine. */
export const canUseManualCode = ({ destination }: Pick<OpenInteraction, 'destination'>): boolean => destination.kind === 'this computer'

export function isManualCodeChosen(form: URLSearchParams, open: Pick<OpenInteraction, 'destination'>): boolean {
  return canUseManualCode(open) && form.get(manualCodeField.name) === manualCodeField.value
}
