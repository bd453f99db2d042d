import { withQuery } from './withQuery.ts'

/** A service whose player can be shown in a frame. Any other could load arbitrary content into the page of a learner. */
interface PlayerService {
  name: string
  hosts: readonly string[]
  frameHost: string
  /** Returns path and query of the player for an address of these hosts; undefined if the service does not show it in a frame. */
  player(url: URL): string | undefined
}

const id = '([\\w-]+)'

/** Returns the groups of the first pattern that a path matches. `{id}` is an id. */
function matched({ pathname }: URL, ...patterns: string[]): readonly string[] | undefined {
  const path = pathname.replace(/\/$/, '')
  for (const pattern of patterns) {
    const found = new RegExp(`^${pattern.replaceAll('{id}', id)}$`, 'i').exec(path)
    if (found) return found.slice(1)
  }
  return undefined
}

const parameter = ({ searchParams }: URL, name: string, form = /^[\w-]{1,64}$/): string | undefined => {
  const value = searchParams.get(name)
  return value !== null && form.test(value) ? value : undefined
}

/** Returns the seconds of `90`, `90s` and `1h2m3s`. */
function secondsOf(text: string | null): string | undefined {
  const found = /^(?:(\d{1,2})h)?(?:(\d{1,3})m)?(?:(\d{1,6})s?)?$/.exec(text ?? '')
  if (!found || !text) return undefined
  const [hours = 0, minutes = 0, seconds = 0] = found.slice(1).map((part) => Number(part ?? 0))
  return String(hours * 3600 + minutes * 60 + seconds)
}

function youtube(url: URL): string | undefined {
  const list = parameter(url, 'list')
  const start = secondsOf(url.searchParams.get('t') ?? url.searchParams.get('start'))
  const isShort = url.hostname === 'youtu.be'
  const [found] = (isShort ? matched(url, '/{id}') : matched(url, '/(?:embed|shorts|live|v|e)/{id}')) ?? [parameter(url, 'v')]
  if (found === 'videoseries' || (found === undefined && matched(url, '/playlist')))
    return list && withQuery('/embed/videoseries', { list })
  const isVideo = found !== undefined && /^[\w-]{11}$/.test(found)
  return isVideo ? withQuery(`/embed/${found}`, { start, end: parameter(url, 'end', /^\d{1,6}$/), list }) : undefined
}

function vimeo(url: URL): string | undefined {
  const [video, hash] =
    matched(
      url,
      '(?:/video|/manage/videos|/ondemand/[\\w-]+)?/(\\d+)(?:/([0-9a-f]+))?',
      '/(?:channels|groups|album|showcase)/[\\w-]+(?:/videos?)?/(\\d+)',
    ) ?? []
  return video && withQuery(`/video/${video}`, { h: hash ?? parameter(url, 'h', /^[0-9a-f]+$/), dnt: '1' })
}

function google(url: URL): string | undefined {
  const [kind, key, action = 'edit'] = matched(url, '/(document|spreadsheets|presentation|forms)/d/((?:e/)?[\\w-]+)(?:/(\\w+))?') ?? []
  if (kind === undefined) return undefined
  if (kind === 'forms') return key?.startsWith('e/') ? `/forms/d/${key}/viewform?embedded=true` : undefined
  if (!key?.startsWith('e/')) return `/${kind}/d/${key}/${action === 'embed' ? 'embed' : 'preview'}`
  return kind === 'presentation'
    ? `/presentation/d/${key}/embed`
    : `/${kind}/d/${key}/${kind === 'document' ? 'pub?embedded=true' : 'pubhtml?widget=true'}`
}

const services: readonly PlayerService[] = [
  {
    name: 'YouTube',
    hosts: ['www.youtube.com', 'youtube.com', 'm.youtube.com', 'music.youtube.com', 'youtu.be', 'www.youtube-nocookie.com'],
    frameHost: 'www.youtube-nocookie.com',
    player: youtube,
  },
  { name: 'Vimeo', hosts: ['vimeo.com', 'www.vimeo.com', 'player.vimeo.com'], frameHost: 'player.vimeo.com', player: vimeo },
  {
    name: 'Loom',
    hosts: ['www.loom.com', 'loom.com'],
    frameHost: 'www.loom.com',
    player(url) {
      const [video] = matched(url, '/(?:share|embed)/{id}') ?? []
      return video && withQuery(`/embed/${video}`, { t: secondsOf(url.searchParams.get('t')) })
    },
  },
  {
    name: 'Wistia',
    hosts: ['fast.wistia.net', 'fast.wistia.com', 'home.wistia.com'],
    frameHost: 'fast.wistia.net',
    player(url) {
      const [video] = matched(url, '/embed/(?:iframe|medias)/{id}', '/medias/{id}') ?? []
      return video && withQuery(`/embed/iframe/${video}`, { doNotTrack: 'true' })
    },
  },
  {
    name: 'Spotify',
    hosts: ['open.spotify.com'],
    frameHost: 'open.spotify.com',
    player(url) {
      const [kind, key] = matched(url, '(?:/embed|/intl-\\w+)?/(track|album|playlist|artist|episode|show)/{id}') ?? []
      return kind && `/embed/${kind}/${key}`
    },
  },
  {
    name: 'SoundCloud',
    hosts: ['w.soundcloud.com', 'soundcloud.com', 'www.soundcloud.com', 'm.soundcloud.com'],
    frameHost: 'w.soundcloud.com',
    player(url) {
      const sound = url.hostname === 'w.soundcloud.com' ? url.searchParams.get('url') : `https://soundcloud.com${url.pathname}`
      const isSound = sound !== null && /^https:\/\/(?:api\.)?soundcloud\.com\/[\w-]+\/[\w/:-]+$/.test(decodeURI(sound))
      return isSound ? withQuery('/player/', { url: sound }) : undefined
    },
  },
  {
    name: 'Apple Podcasts',
    hosts: ['embed.podcasts.apple.com', 'podcasts.apple.com'],
    frameHost: 'embed.podcasts.apple.com',
    player: (url) => (matched(url, '/.*id\\d+') ? withQuery(url.pathname, { i: parameter(url, 'i', /^\d+$/) }) : undefined),
  },
  { name: 'Google Docs', hosts: ['docs.google.com'], frameHost: 'docs.google.com', player: google },
  {
    name: 'CodePen',
    hosts: ['codepen.io', 'www.codepen.io'],
    frameHost: 'codepen.io',
    player(url) {
      const [person, pen] = matched(url, '/{id}/(?:pen|embed|full|details)/(?:preview/)?{id}') ?? []
      return person && withQuery(`/${person}/embed/${pen}`, { 'default-tab': parameter(url, 'default-tab', /^[\w,]+$/) ?? 'result' })
    },
  },
  {
    name: 'GeoGebra',
    hosts: ['www.geogebra.org', 'geogebra.org'],
    frameHost: 'www.geogebra.org',
    player(url) {
      const [material] = matched(url, '/(?:m|material/show/id)/{id}', '/material/iframe/id/{id}(?:/.*)?') ?? []
      return material && `/material/iframe/id/${material}`
    },
  },
  {
    name: 'H5P',
    hosts: ['h5p.org', 'www.h5p.org'],
    frameHost: 'h5p.org',
    player(url) {
      const [content] = matched(url, '/(?:h5p/embed|node)/(\\d+)') ?? []
      return content && `/h5p/embed/${content}`
    },
  },
]

export const playerNames = services.map(({ name }) => name).join(', ')

export const playerHosts: readonly string[] = services.map(({ frameHost }) => frameHost)

/** The directive of the Content-Security-Policy of a page that shows players. */
export const playerSources = `frame-src ${playerHosts.map((host) => `https://${host}`).join(' ')}`

export type Player = { address: string } | { rule: string }

/**
 * Returns the address of the player for an address that people copy: of the page of a video, with its start, or of its player. The player
 * sets no cookies where the service offers that.
 */
export function playerOf(address: string): Player {
  const url = URL.parse(address)
  const isPlain = url?.protocol === 'https:' && url.port === '' && url.username === '' && url.password === ''
  const service = isPlain ? services.find(({ hosts }) => hosts.includes(url.hostname)) : undefined
  if (!url || !service) return { rule: `must be an https address of ${playerNames}` }
  try {
    const player = service.player(url)
    if (player !== undefined) return { address: `https://${service.frameHost}${player}` }
  } catch (error) {
    // A path that is not encoded correctly names nothing.
    if (!(error instanceof URIError)) throw error
  }
  return {
    rule: `must be the address of one video or work: ${service.name} does not allow this page in a frame. Copy the address that the service shows under "Share"`,
  }
}

export function playedAddress(address: string): string {
  const player = playerOf(address)
  return 'address' in player ? player.address : address
}
