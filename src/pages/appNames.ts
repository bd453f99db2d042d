import { skeletonOf } from '../identity/clients/imitatedName.ts'
import { plainText } from './plainText.ts'
import type { TextPart, Texts } from './texts.ts'

interface NamedApp {
  clientId: string
  /** The name that the app gave itself, unchecked. */
  name: unknown
  /** The name that the person gave it, if they gave it one. */
  ownName?: string | undefined
  /** Undefined if the app was deleted or disabled. */
  origin: object | undefined
}

const shownName = (name: unknown): string => plainText(name, 60)

/** Returns the end of the id of an app, which distinguishes it from other apps of the same name. */
export const idEnding = (clientId: string): string => plainText(clientId, 300).slice(-6)

/** Returns the function that names an app of a list. If names of several apps look alike, the ends of their ids follow the names. */
export function appNames(texts: Texts, apps: readonly NamedApp[]): (app: NamedApp) => TextPart[] {
  const nameOf = ({ name, ownName }: NamedApp): string => shownName(ownName ?? name)
  const keyOf = (app: NamedApp): string => skeletonOf(nameOf(app))
  const alike = Map.groupBy(new Map(apps.map((app) => [app.clientId, app])).values(), keyOf)
  return (app) => {
    const name = nameOf(app)
    const parts = name ? texts.parts('apps.name', { app: name }) : texts.parts(app.origin ? 'apps.nameless' : 'apps.gone', {})
    if ((alike.get(keyOf(app)) ?? []).length < 2) return parts
    return [...parts, { text: ' ', isolated: false }, ...texts.parts('apps.id_ending', { ending: idEnding(app.clientId) })]
  }
}
