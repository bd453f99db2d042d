import type { Language } from '../lib/languages.ts'

/** The buttons of links that have the same label in every e-mail. */
const labels = {
  sign_in: { en: 'Sign in', de: 'Anmelden' },
  reset: { en: 'Choose a new password', de: 'Neues Passwort wählen' },
  apps: { en: 'See your connected apps', de: 'Verbundene Apps ansehen' },
  security: { en: 'Security of your account', de: 'Sicherheit des Kontos' },
  notifications: { en: 'Choose your e-mails', de: 'E-Mails auswählen' },
  checkout: { en: 'Pay for the seat', de: 'Platz bezahlen' },
  school_apps: { en: 'See the apps of the school', de: 'Apps der Schule ansehen' },
  answers: { en: 'Read the answers', de: 'Antworten lesen' },
  cannot_come: { en: 'I can’t come', de: 'Ich kann nicht kommen' },
} as const satisfies Record<string, Record<Language, string>>

/** Returns the label of the button for a link that is not `{link}`; undefined if the placeholder is not such a link. */
export const linkLabel = (name: string, language: Language): string | undefined =>
  Object.hasOwn(labels, name) ? labels[name as keyof typeof labels][language] : undefined
