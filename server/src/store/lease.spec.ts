import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { expect, test } from 'vitest'
import { testDatabase } from '../testing/postgres/postgres'
import { silentLogger } from '../testing/silent-logger'
import { openStore } from './store'

test('a lease has only one holder, can be passed on, and reports when it is lost', { tags: 'all' }, async () => {
  const database = await testDatabase()
  const [one, two] = await Promise.all(
    [1, 2].map(() => openStore({ databaseUrl: database.url, dataFolder: tmpdir(), log: silentLogger })),
  )
  const lease = (await one!.lease('sync', 3))!
  expect(await two!.lease('sync', 3)).toBeNull()
  const until = async () => (await one!.pool.query<{ until: Date }>('select until from lease')).rows[0]!.until.getTime()
  const first = await until()
  // the lease is renewed before it expires
  await expect.poll(until).toBeGreaterThan(first)
  expect(await two!.lease('sync', 3)).toBeNull()
  await lease.release()
  const next = (await two!.lease('sync', 3))!
  expect(next).not.toBeNull()
  await two!.pool.query("update lease set owner = 'thief', until = now() + interval '1 minute'")
  await once(next.signal, 'abort')
  await one!.close()
  await two!.close()
  await database.drop()
})
