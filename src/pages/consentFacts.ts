import type { Destination } from './destination.ts'
import type { OpenInteraction } from './interaction.ts'
import type { TextPart, Texts } from './texts.ts'

export interface ConsentFact {
  label: string
  value: TextPart[]
  isWarning: boolean
}

export function headingOf(texts: Texts, { clientName: app, origin }: Pick<OpenInteraction, 'clientName' | 'origin'>): TextPart[] {
  if (app) return texts.parts('consent.heading', { app })
  return origin?.registeredVia === 'document'
    ? texts.parts('consent.heading_nameless_document', { host: origin.host })
    : texts.parts('consent.heading_nameless', {})
}

/** Warns about an app whose name imitates a protected name or claims to speak for the school; undefined if it does neither. */
export function alarmOf(
  texts: Texts,
  { imitated, claimedRole }: { imitated: string | undefined; claimedRole: string | undefined },
  school: string,
): TextPart[] | undefined {
  if (imitated !== undefined) return texts.parts('consent.imitation', { name: imitated, school })
  return claimedRole === undefined ? undefined : texts.parts('consent.claimed_role', { word: claimedRole, school })
}

/** Says who is responsible for the app, and whether anyone has checked that. */
export function originFact(
  texts: Texts,
  { origin, destination }: Pick<OpenInteraction, 'origin' | 'destination'>,
  schoolName: string,
): ConsentFact {
  const label = texts.text('consent.origin_label')
  if (!origin) return { label, value: texts.parts('consent.origin_unknown', {}), isWarning: true }
  const values = { date: texts.moment(origin.createdAt), school: schoolName }
  if (origin.registeredVia === 'document') {
    const key = destination.kind === 'host' ? 'consent.origin_document' : 'consent.origin_document_device'
    return { label, value: texts.parts(key, { ...values, host: origin.host }), isWarning: true }
  }
  // Another program on the device can use the client id of an installed app (RFC 8252 section 8.6).
  if (origin.registeredVia === 'integration' && destination.kind !== 'host')
    return { label, value: texts.parts('consent.origin_integration_device', values), isWarning: true }
  return origin.registeredVia === 'integration'
    ? { label, value: texts.parts('consent.origin_integration', values), isWarning: false }
    : { label, value: texts.parts('consent.origin_unchecked', { school: schoolName }), isWarning: true }
}

export const includedFact = (texts: Texts, sentence: string): ConsentFact => ({
  label: texts.text('consent.included_label'),
  value: texts.parts('consent.included', { sentence }),
  isWarning: false,
})

export function destinationFact(texts: Texts, { kind, host, port }: Destination): ConsentFact {
  const label = texts.text('consent.destination_label')
  if (kind === 'this computer') return { label, value: texts.parts('consent.destination_loopback', { port }), isWarning: false }
  if (kind === 'host') return { label, value: texts.parts('consent.destination_host', { host }), isWarning: false }
  if (kind === 'app') return { label, value: texts.parts('consent.destination_app', { scheme: host }), isWarning: false }
  return { label, value: texts.parts('consent.destination_unknown', {}), isWarning: true }
}
