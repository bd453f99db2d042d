import { scopeName } from '../../engine/declare/area.ts'
import { type KnownApp, knownApps } from '../../identity/apps/apps.ts'
import { courses } from '../../school/courses/courses.ts'

/** The parameters of a client, as far as they differ from the shortest request. `{base}` is the address of the school. */
export interface ClientShape {
  name: string
  /** How it becomes known: as an app of people's machines or of a vendor. Absent: it is a web service, which needs an integration. */
  app?: Pick<KnownApp, 'id' | 'name' | 'registration' | 'document' | 'uses'>
  authorization: Readonly<Record<string, string>>
  token: Readonly<Record<string, string>>
  refresh: Readonly<Record<string, string>>
}

const scope = `openid profile email ${scopeName(courses.area, 'read')}`
/** As long as the state of services that federate, which contains the request of another client. */
const longState = 'x'.repeat(2400)

const mcp = { resource: '{base}/mcp' }
const jwtBearer = 'urn:ietf:params:oauth:grant-type:jwt-bearer'

/** The parameters of the apps of `/docs/apps`, in addition to the registration that is recorded there. */
const ofApps: Readonly<Record<string, { grantTypes?: readonly string[]; authorization?: object; refresh?: object }>> = {
  'claude-ai': { grantTypes: [jwtBearer], authorization: { scope: `${scope} offline_access`, prompt: 'consent' } },
  codex: { refresh: { scope } },
  vscode: { grantTypes: ['urn:ietf:params:oauth:grant-type:device_code'], authorization: { scope: `${scope} offline_access` } },
  'mcp-remote': { refresh: { scope: `${scope} offline_access` } },
}

const apps = knownApps
  .filter(({ id }) => id !== 'other')
  .map((app): ClientShape => {
    const { grantTypes = [], authorization = {}, refresh = {} } = ofApps[app.id] ?? {}
    const registration = { ...app.registration, grant_types: ['authorization_code', 'refresh_token', ...grantTypes] }
    return {
      name: app.id === 'claude-ai' ? 'claude' : app.id,
      app: { ...app, registration },
      authorization: { scope, ...mcp, ...authorization },
      token: mcp,
      refresh: { ...mcp, ...refresh },
    }
  })

const library = (name: string, more: Omit<ClientShape, 'name' | 'app'>): ClientShape => {
  const uses = ['http://127.0.0.1:53682/callback']
  return { name, app: { id: name, name, registration: { client_name: name, redirect_uris: uses }, uses }, ...more }
}

const webService = (name: string, authorization: object, refresh = {}): ClientShape => ({
  name,
  authorization: { scope, nonce: 'a-nonce', ...authorization },
  token: {},
  refresh,
})

const withSlash = { resource: '{base}/mcp/' }

/** The clients of `doctor --client`. Each has parameters that services have refused in public bug reports. */
export const clientShapes: readonly ClientShape[] = [
  ...apps,
  library('mcp-sdk', {
    authorization: { scope: `${scope} offline_access`, prompt: 'consent', ...withSlash },
    token: withSlash,
    refresh: withSlash,
  }),
  library('openid-client', { authorization: { scope, nonce: 'a-nonce' }, token: {}, refresh: {} }),
  webService('authlib', {}, { scope: `${scope} ${scopeName(courses.area, 'write')}` }),
  webService('apache', {}, { scope }),
  webService('aspnetcore', { response_mode: 'form_post', 'x-client-SKU': 'ID_NET9_0', 'x-client-ver': '8.0.1.0' }),
  webService('keycloak-broker', { state: longState }),
  webService('cognito', { state: longState }),
  webService('zitadel', { prompt: 'select_account' }),
]
