import type { Exceptions } from '../derived/exceptions.ts'

export const exceptions: Exceptions = {
  // A change that a reset takes back: it keeps the theme, which is the first field.
  bodies: { updateAppearance: async () => ({ corner_radius: 'large' }) },
}
