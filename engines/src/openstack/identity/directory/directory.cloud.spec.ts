import process from 'node:process'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Entity } from '../../../ports/records'
import type { KindReader, Reading } from '../../kind-reader'
import { clientOf } from '../../recorded/reading-kinds'
import { cloudAccess } from '../../testing/cloud-access'
import { domainReader, groupReader, projectReader, userReader } from './readers'

/* What acts change is read row by row, and everything now and then by lists: both have to find the same. */

let cloud: ReturnType<typeof clientOf>
beforeAll(() => {
  cloud = clientOf(cloudAccess(process.env))
})
afterAll(() => cloud.client.close())

const readers = [domainReader, projectReader, groupReader, userReader] as readonly KindReader<Entity>[]

test.each(readers.map((reader) => [reader.list, reader] as const))(
  'the list of %s of the directory finds each row as it is read by itself',
  async (_, reader) => {
    const reading: Reading = { caller: cloud.caller, domainOf: async (id) => id }
    const all = new Map<string, Entity>()
    for await (const page of reader.all(reading)) for (const row of page) all.set(row.id, row)
    expect(all.size).toBeGreaterThan(0)
    const some = await reader.some(reading, [...all.keys()].slice(0, 30))
    // what was deleted meanwhile, by tests beside this one, is null
    for (const [id, row] of some) if (row) expect(row).toEqual(all.get(id))
  },
  120_000,
)
