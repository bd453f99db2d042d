import { readData } from '../../base/text/views.ts'

/** Path of the page about connecting apps. The same page as Markdown has the ending `.md`. */
export const appsPath = '/docs/apps'

/** One way to connect an app: what a person enters, or where they click. `{mcp}` is the address of the MCP endpoint. */
export type AppSetup =
  | { kind: 'command'; text: string }
  | { kind: 'file'; file: string; text: string }
  | { kind: 'steps'; path: readonly string[]; values: readonly { label: string; value: string }[] }

/** A remark of the page about an app. The texts are in `views/locales`. */
export type AppNote = 'signs_in_on_request' | 'signs_in_when_added' | 'insists_on_sign_in' | 'choose_no_authentication' | 'api_walkthrough'

/** An app that people connect to a school. The data are those that the app sends; the school's rules decide what they lead to. */
export interface KnownApp {
  id: string
  name: string
  setup: readonly AppSetup[]
  note: AppNote
  /** The metadata with which the app registers itself (RFC 7591). */
  registration: Readonly<Record<string, unknown>> & { client_name: string; redirect_uris: readonly string[] }
  /** The client ID metadata document that the app publishes, as far as it matters here. */
  document?: Readonly<Record<string, unknown>> & { client_id: string; redirect_uris: readonly string[] }
  /** The redirect URIs that authorization requests of the app use. The port of a loopback address is an example. */
  uses: readonly string[]
}

export const { apps: knownApps } = readData<{ apps: readonly KnownApp[] }>('apps.yaml')
