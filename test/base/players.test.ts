import fc from 'fast-check'
import { expect, test } from 'vitest'
import { playerHosts, playerNames, playerOf } from '../../src/base/text/players.ts'

const video = 'dQw4w9WgXcQ'
const youtube = `https://www.youtube-nocookie.com/embed/${video}`
const vimeo = 'https://player.vimeo.com/video/76979871'

test.each([
  [`https://www.youtube.com/watch?v=${video}`, youtube],
  [`https://youtube.com/watch?v=${video}&t=90s&pp=ygU`, `${youtube}?start=90`],
  [`https://m.youtube.com/watch?feature=share&v=${video}`, youtube],
  [`https://youtu.be/${video}?si=AbC-123&t=1m30s`, `${youtube}?start=90`],
  [`https://www.youtube.com/shorts/${video}`, youtube],
  [`https://www.youtube.com/live/${video}?feature=share`, youtube],
  [`https://www.youtube.com/embed/${video}?start=5&end=9&autoplay=1`, `${youtube}?start=5&end=9`],
  [`${youtube}`, youtube],
  [`https://www.youtube.com/watch?v=${video}&list=PL123&index=2`, `${youtube}?list=PL123`],
  ['https://www.youtube.com/playlist?list=PL123', 'https://www.youtube-nocookie.com/embed/videoseries?list=PL123'],
  ['https://vimeo.com/76979871', `${vimeo}?dnt=1`],
  ['https://vimeo.com/76979871/0a1b2c3d4e?share=copy', `${vimeo}?h=0a1b2c3d4e&dnt=1`],
  ['https://vimeo.com/channels/staffpicks/76979871', `${vimeo}?dnt=1`],
  ['https://vimeo.com/showcase/3/video/76979871', `${vimeo}?dnt=1`],
  [`${vimeo}?h=0a1b2c3d4e&badge=0`, `${vimeo}?h=0a1b2c3d4e&dnt=1`],
  ['https://www.loom.com/share/abc123?sid=1', 'https://www.loom.com/embed/abc123'],
  ['https://home.wistia.com/medias/e4a27b971d', 'https://fast.wistia.net/embed/iframe/e4a27b971d?doNotTrack=true'],
  ['https://open.spotify.com/intl-de/episode/7makk4oTQel546B0PZlDM5?si=1', 'https://open.spotify.com/embed/episode/7makk4oTQel546B0PZlDM5'],
  ['https://soundcloud.com/forss/flickermood', 'https://w.soundcloud.com/player/?url=https%3A%2F%2Fsoundcloud.com%2Fforss%2Fflickermood'],
  ['https://podcasts.apple.com/de/podcast/clay/id12?i=34', 'https://embed.podcasts.apple.com/de/podcast/clay/id12?i=34'],
  ['https://docs.google.com/document/d/1/edit', 'https://docs.google.com/document/d/1/preview'],
  ['https://docs.google.com/presentation/d/e/2P-x/pub?start=false', 'https://docs.google.com/presentation/d/e/2P-x/embed'],
  ['https://codepen.io/ada/pen/Abc', 'https://codepen.io/ada/embed/Abc?default-tab=result'],
  ['https://www.geogebra.org/m/abc', 'https://www.geogebra.org/material/iframe/id/abc'],
  ['https://h5p.org/node/12', 'https://h5p.org/h5p/embed/12'],
])('%s becomes the address of its player', (copied, address) => {
  expect(playerOf(copied)).toEqual({ address })
  expect(playerOf(address)).toEqual({ address })
})

test.each([
  'https://www.youtube.com/@school',
  'https://vimeo.com/school',
  'https://www.loom.com/',
  'https://docs.google.com/forms/d/1/edit',
])('%s cannot be shown in a frame, and the rule says so', (address) => {
  expect(playerOf(address)).toEqual({ rule: expect.stringContaining('does not allow this page in a frame') })
})

test.each([
  'https://evil.example/embed/x',
  `http://youtu.be/${video}`,
  `https://a:b@youtu.be/${video}`,
  `https://youtu.be:8443/${video}`,
  'x',
  '',
])('%s is rejected, and the rule lists the services', (address) => {
  expect(playerOf(address)).toEqual({ rule: `must be an https address of ${playerNames}` })
})

test('whatever follows the host, a player has one of the hosts that pages may show, and its address leads to itself', () => {
  const host = fc.constantFrom('youtu.be', 'www.youtube.com', 'vimeo.com', 'docs.google.com', 'w.soundcloud.com', 'podcasts.apple.com')
  fc.assert(
    fc.property(host, fc.webPath(), fc.webQueryParameters(), (name, path, query) => {
      const player = playerOf(`https://${name}${path}?${query}`)
      if (!('address' in player)) return
      expect(playerHosts).toContain(new URL(player.address).host)
      expect(playerOf(player.address)).toEqual(player)
    }),
    { numRuns: 2000 },
  )
})
