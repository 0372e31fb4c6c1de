import { randomBytes } from 'node:crypto'
import process from 'node:process'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Entity } from '../../../ports/records'
import type { KindReader, Reading } from '../../kind-reader'
import { clientOf } from '../../recorded/reading-kinds'
import { cloudAccess } from '../../testing/cloud-access'
import { fixturePrefix } from '../../testing/cloud-fixture'
import { signInPlainly, type PlainClient } from '../../testing/plain-client'
import { domainReader, groupReader, projectReader, userReader } from './readers'

/* Changes are read row by row, whereas full reads use lists. Both must produce the same rows. */

let cloud: ReturnType<typeof clientOf>
let admin: PlainClient
/** A new cloud has domains, projects and users, but no groups. */
let group: { id: string }
beforeAll(async () => {
  const access = cloudAccess(process.env)
  cloud = clientOf(access)
  admin = await signInPlainly(access)
  const name = `${fixturePrefix}${randomBytes(3).toString('hex')}-directory`
  group = (await admin.call<{ group: { id: string } }>('identity', 'POST', '/groups', { group: { name } })).group
})
afterAll(async () => {
  await cloud.client.close()
  await admin.call('identity', 'DELETE', `/groups/${group.id}`)
})

const readers = [domainReader, projectReader, groupReader, userReader] as readonly KindReader<Entity>[]

test.each(readers.map((reader) => [reader.list, reader] as const))(
  'returns the same %s in lists as in single reads',
  async (_, reader) => {
    const reading: Reading = { caller: cloud.caller, domainOf: async (id) => id }
    const all = new Map<string, Entity>()
    for await (const page of reader.all(reading)) for (const row of page) all.set(row.id, row)
    expect(all.size).toBeGreaterThan(0)
    const some = await reader.some(reading, [...all.keys()].slice(0, 30))
    // null: tests that run in parallel deleted the row
    for (const [id, row] of some) if (row) expect(row).toEqual(all.get(id))
  },
  120_000,
)
