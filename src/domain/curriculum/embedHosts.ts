/** Hosts whose players may stand in a lesson. An address of any other would load whatever it likes into the page of a learner. */
export const embedHosts: readonly string[] = [
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

/** Whether an address is that of a player: one of these hosts, by https on its usual port, and without a login in it. */
export function isEmbeddable(address: string): boolean {
  const url = URL.parse(address)
  if (url?.protocol !== 'https:' || url.port !== '' || url.username !== '' || url.password !== '') return false
  return embedHosts.includes(url.hostname)
}
