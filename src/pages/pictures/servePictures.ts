import { hash } from 'node:crypto'
import type { Context, Middleware } from 'koa'
import { type StoredDocument, serveDocument, storeDocument } from '../../base/http/document.ts'
import { allowMethods } from '../../base/http/methods.ts'
import type { School } from '../../base/school.ts'
import { schoolThemeColours } from '../../base/themeColours.ts'
import type { FindPageContext } from '../pageContext.ts'
import type { PageTheme } from '../pageTheme.ts'
import type { Drawing, PngRenderer } from './pngRenderer.ts'
import { type CardLogo, schoolIcon, shareCard } from './shareCard.ts'

export interface PictureArguments {
  pageContext: FindPageContext
  theme(school: School): Promise<PageTheme>
  /** Returns the logo for a background; undefined if there is none that can be shown. */
  logoOn(school: School, background: string, theme: PageTheme): Promise<CardLogo | undefined>
  renderer: PngRenderer
  /** Returns the title of a public page, as visitors see it; undefined if they see none. */
  titleAt(ctx: Context, path: string): Promise<string | undefined>
  /**
   * Counts the request against the rate limit of visitors.
   * @throws Problem rate_limited
   */
  count(ctx: Context): Promise<void>
}

const manifestPath = '/manifest.webmanifest'
const touchIconPath = '/apple-touch-icon.png'

const iconSizes: ReadonlyMap<string, number> = new Map([
  [touchIconPath, 180],
  ['/assets/icon-192.png', 192],
  ['/assets/icon-512.png', 512],
])

const sharePath = /^\/assets\/share(\/.+)?\.png$/

/** Returns the path of the picture that previews of links to a public page show. */
export const sharePicturePath = (path: string): string => `/assets/share${path === '/' ? '' : path}.png`

/** How long caches keep a picture. They revalidate it by ETag. */
const maxAgeSeconds = 3600

/** Serves the pictures that the service draws: the icons of a school and the previews of its public pages; and its web manifest. */
export function servePictures({ pageContext, theme, logoOn, renderer, titleAt, count }: PictureArguments): Middleware {
  const send = async (ctx: Context, drawing: Drawing): Promise<void> => {
    ctx.set('X-Content-Type-Options', 'nosniff')
    serveDocument(ctx, pictureDocument(await renderer.render(drawing, ctx.state.school.id)))
  }
  return async (ctx, next) => {
    const [isShared, page = '/'] = sharePath.exec(ctx.path) ?? []
    const iconSize = iconSizes.get(ctx.path)
    if (!isShared && iconSize === undefined && ctx.path !== manifestPath) return next()
    if (allowMethods(ctx, ['GET', 'HEAD']) === 'answered') return
    await count(ctx)
    const { school } = ctx.state
    const title = isShared && (await titleAt(ctx, page))
    if (isShared && title === undefined) return next()
    const [{ schoolName }, colours] = await Promise.all([pageContext(ctx), theme(school)])
    // The titles of lists are in the language of the reader.
    if (isShared) ctx.vary(['Accept-Language', 'Cookie'])
    if (title) {
      const logo = await logoOn(school, schoolThemeColours(colours).light.surface, colours)
      await send(ctx, shareCard(title, { schoolName, theme: colours, logo }))
    } else if (iconSize !== undefined) await send(ctx, schoolIcon(schoolName, colours, iconSize))
    else serveDocument(ctx, manifest(schoolName, colours))
  }
}

const pictureDocument = (body: Buffer): StoredDocument => ({
  body,
  type: 'image/png',
  maxAgeSeconds,
  etag: `"${hash('sha256', body, 'base64url').slice(0, 22)}"`,
})

function manifest(name: string, theme: PageTheme): StoredDocument {
  const { light } = schoolThemeColours(theme)
  const icons = [...iconSizes].map(([src, size]) => ({ src, sizes: `${size}x${size}`, type: 'image/png' }))
  const text = JSON.stringify({
    name,
    start_url: '/',
    display: 'browser',
    theme_color: light.primary,
    background_color: light.background,
    icons,
  })
  return storeDocument(text, { type: 'application/manifest+json', maxAgeSeconds })
}
