/** Hosts whose players can be embedded in a lesson. Any other host could load arbitrary content into the page of a learner. */
const embedHosts: readonly string[] = [
  'www.youtube-nocookie.com',
  'www.youtube.com',
  'player.vimeo.com',
  'fast.wistia.net',
  'www.loom.com',
  'open.spotify.com',
  'w.soundcloud.com',
  'embed.podcasts.apple.com',
  'docs.google.com',
  'codepen.io',
  'www.geogebra.org',
  'h5p.org',
]

/** True for the URL of a player: one of these hosts, https on the default port, without credentials. */
export function isEmbeddable(address: string): boolean {
  const url = URL.parse(address)
  if (url?.protocol !== 'https:' || url.port !== '' || url.username !== '' || url.password !== '') return false
  return embedHosts.includes(url.hostname)
}
