import { StoragePolicy } from '@mainstay/contract/storage/storage-policies'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startEngineFixture, type EngineFixture } from '../testing/engine-fixture'
import { fakeVolumes } from '../testing/fake-cloud/volumes'
import { storagePolicyReader } from './volume-types'

let fixture: EngineFixture
beforeEach(async () => {
  fixture = await startEngineFixture([storagePolicyReader])
})
afterEach(() => fixture.close())

test('shows volume types as storage policies, and keeps private ones private', async () => {
  const { types } = fakeVolumes(fixture.cloud)
  const rows: StoragePolicy[] = []
  for await (const page of storagePolicyReader.all(fixture.engine.reading)) rows.push(...page)
  for (const row of rows) expect(StoragePolicy.parse(row)).toEqual(row)
  const unknown = { tier: null, redundancy: null, failure_domain: null, qos: {} }
  expect(rows).toEqual([
    { id: 'type-ceph', name: 'ceph', ...unknown, is_public: true },
    { id: 'type-hidden', name: 'hidden', ...unknown, is_public: false },
  ])
  types.pop()
  const some = await storagePolicyReader.some(fixture.engine.reading, ['type-ceph', 'type-hidden'])
  expect([...some]).toEqual([
    ['type-ceph', rows[0]],
    ['type-hidden', null],
  ])
})
