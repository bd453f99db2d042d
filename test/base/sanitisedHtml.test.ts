import { expect, test } from 'vitest'
import { linkForeignPictures } from '../../src/base/text/sanitisedHtml.ts'

const issuer = 'https://school.example.com'

test.each([
  ['<p><img src="/files/fil_1" alt="A bowl" /></p>', undefined],
  [`<p><img src="${issuer}/files/fil_1" alt="A bowl" /></p>`, undefined],
  ['<p><img src="data:image/png;base64,AA==" alt="" /></p>', undefined],
  [
    '<p>See <img src="https://other.example/x.png?a=1&amp;b=2" alt="A &lt;bowl&gt;" /></p>',
    '<p>See <a href="https://other.example/x.png?a=1&amp;b=2" rel="noopener noreferrer nofollow">A &lt;bowl&gt;</a></p>',
  ],
  [
    '<img src="https://other.example/x.png" />',
    '<a href="https://other.example/x.png" rel="noopener noreferrer nofollow">https://other.example/x.png</a>',
  ],
  ['<a href="/courses"><img src="https://other.example/x.png" alt="A bowl" /></a>', '<a href="/courses">A bowl</a>'],
])('a picture of another origin becomes a link, one that pages load stays: %s', (html, shown = html) => {
  expect(linkForeignPictures(html, issuer)).toBe(shown)
})
