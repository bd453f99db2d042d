import type { OpenInteraction } from './openInteraction.ts'

/** The box on the consent page: the app runs on another machine. */
export const manualCodeField = { name: 'elsewhere', value: 'yes' } as const

/** Only an answer to a loopback address can miss its machine (RFC 8252 section 7.3): any other goes where it is registered to go. */
export const mayHandOver = ({ destination }: Pick<OpenInteraction, 'destination'>): boolean => destination.kind === 'this computer'

/** Whether the person took it on themselves to carry the answer to the app. */
export function isHandedOver(form: URLSearchParams, open: Pick<OpenInteraction, 'destination'>): boolean {
  return mayHandOver(open) && form.get(manualCodeField.name) === manualCodeField.value
}
