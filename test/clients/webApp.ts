import { once } from 'node:events'
import { createServer, get, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

export interface Visit {
  status: number
  location: string | undefined
  text: string
}

/** A browser at one web app: it keeps cookies and follows no redirect. */
export interface AppBrowser {
  /** Opens a path, with its query. */
  open(path: string): Promise<Visit>
}

/** Headers of a browser in which a person follows a link, and of a gateway with TLS. `fetch` cannot send the first two. */
const navigation = {
  accept: 'text/html,*/*;q=0.8',
  'sec-fetch-mode': 'navigate',
  'x-forwarded-proto': 'https',
  'x-forwarded-host': 'app.example.com',
}

/** Creates a browser for the app at this origin. */
export function createAppBrowser(origin: string): AppBrowser {
  const cookies = new Map<string, string>()
  return {
    async open(path) {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
      const headers = { ...navigation, ...(cookie && { cookie }) }
      const response: IncomingMessage = (await once(get(origin + path, { headers, agent: false }), 'response'))[0]
      for (const line of response.headers['set-cookie'] ?? []) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
        if (value === '') cookies.delete(name)
        else cookies.set(name, value)
      }
      return { status: response.statusCode ?? 0, location: response.headers.location, text: await text(response) }
    },
  }
}

/** Starts a web app, with one browser. */
export async function startWebApp(app: RequestListener): Promise<AppBrowser & { stop(): Promise<unknown> }> {
  const server = createServer(app).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    ...createAppBrowser(`http://127.0.0.1:${port}`),
    stop() {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(resolve))
    },
  }
}
