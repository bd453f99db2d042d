import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseRedisUrl } from '../../src/database/redis/redisAddress.ts'

describe('the Redis URL', () => {
  test.each([
    ['redis://127.0.0.1', { mode: 'single', tls: false, hosts: [{ host: '127.0.0.1', port: 6379 }], db: 0 }],
    ['redis://cache.example:6380/3', { mode: 'single', tls: false, hosts: [{ host: 'cache.example', port: 6380 }], db: 3 }],
    ['rediss://[::1]:6380/', { mode: 'single', tls: true, hosts: [{ host: '::1', port: 6380 }], db: 0 }],
    ['redis://:a%40b%2Fc@cache', { mode: 'single', tls: false, hosts: [{ host: 'cache', port: 6379 }], db: 0, password: 'a@b/c' }],
    [
      'redis+sentinel://ann:pw@one,two:26380/1?master=main',
      {
        mode: 'sentinel',
        tls: false,
        hosts: [
          { host: 'one', port: 26379 },
          { host: 'two', port: 26380 },
        ],
        db: 1,
        username: 'ann',
        password: 'pw',
        master: 'main',
      },
    ],
    [
      'rediss+sentinel://one?master=main&sentinel_username=watch&sentinel_password=p%26w',
      {
        mode: 'sentinel',
        tls: true,
        hosts: [{ host: 'one', port: 26379 }],
        db: 0,
        master: 'main',
        sentinelUsername: 'watch',
        sentinelPassword: 'p&w',
      },
    ],
    [
      'rediss+cluster://ann:pw@one:7001,two',
      {
        mode: 'cluster',
        tls: true,
        hosts: [
          { host: 'one', port: 7001 },
          { host: 'two', port: 6379 },
        ],
        db: 0,
        username: 'ann',
        password: 'pw',
      },
    ],
  ])('reads %s', (url, address) => {
    expect(parseRedisUrl(url)).toEqual(address)
  })

  test.each([
    ['', 'redis://user:password@host:6379/0'],
    ['http://cache:6379', 'redis://user:password@host:6379/0'],
    ['redis-sentinel://one/main', 'redis+sentinel://'],
    ['redis://one,two', 'redis+cluster://'],
    ['redis://cache:0', 'host (number 1)'],
    ['redis+cluster://one,two:65536', 'host (number 2)'],
    ['redis+cluster://one,,two', 'host (number 2)'],
    ['redis://ca che', 'host (number 1)'],
    ['redis://cache/first', 'number of a database'],
    ['redis://cache/-1', 'number of a database'],
    ['redis+cluster://one/1', 'database 0 only'],
    ['redis://cache?maxRetriesPerRequest=1', 'Known: none'],
    ['redis+sentinel://one', '?master=NAME'],
    ['redis+sentinel://one?master=', 'once, with a value'],
    ['redis+sentinel://one?master=a&master=b', 'once, with a value'],
    ['redis+sentinel://one?master=a&db=1', 'Known: master'],
    ['redis://ann@cache', 'without a password'],
    ['redis://:50%@cache', '%25'],
    ['redis://cache#x', 'redis://user:password@host:6379/0'],
  ])('refuses %j and says the way out', (url, hint) => {
    expect(() => parseRedisUrl(url)).toThrow(hint)
  })

  test('never quotes a password, however it was written', () => {
    const secret = 'Sesame9Street'
    const around = fc.string({ maxLength: 6 })
    fc.assert(
      fc.property(fc.constantFrom('redis', 'rediss', 'redis+sentinel', 'redis+cluster', 'x'), around, around, around, (scheme, a, b, c) => {
        const wherever = [`${a}:${b}${secret}${c}@host`, `host${a}?${b}=${secret}${c}`, `host?${secret}${c}=1`]
        for (const url of wherever.map((rest) => `${scheme}://${rest}`)) {
          try {
            parseRedisUrl(url)
          } catch (error) {
            expect(String(error)).not.toContain(secret)
          }
        }
      }),
      { numRuns: 500 },
    )
  })
})
