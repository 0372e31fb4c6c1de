import { GiB } from '@mainstay/contract/core/bytes'
import type { Problem } from '@mainstay/contract/core/problems'
import { afterAll, beforeAll, expect, test } from 'vitest'
import * as z from 'zod'
import { problemOf } from '../testing/outcomes'
import type { Reply } from '../testing/fake-cloud/cloud'
import { type ClientFixture, startClientFixture } from '../testing/client-fixture'
import { glanceRefusal, neutronRefusal, novaRefusal } from '../testing/fake-cloud/refusals'
import type { Service } from './service-client'

let client: ClientFixture
beforeAll(async () => {
  client = await startClientFixture()
})
afterAll(() => client.stop())

function refusalOf(service: Service, reply: Reply): Promise<Problem> {
  client.fake.on(service, 'POST', '/thing', () => reply)
  return problemOf(client.service().send('POST', service, '/thing', z.void()))
}

const quotas: [Service, Reply, object][] = [
  [
    'compute',
    novaRefusal(
      'forbidden',
      403,
      'Quota exceeded for cores, ram: Requested 4, 8192, but already used 18, 40000 of 20, 51200 cores, ram',
    ),
    { resource: 'vcpus', limit: 20, used: 18, requested: 4 },
  ],
  [
    'compute',
    novaRefusal('forbidden', 403, 'Quota exceeded for instances: Requested 1, but already used 10 of 10 instances'),
    { resource: 'instances', limit: 10, used: 10, requested: 1 },
  ],
  [
    'compute',
    novaRefusal(
      'forbidden',
      403,
      `Project 1f is over a limit for [Resource class:MEMORY_MB is over limit of 512 due to current usage 512 and delta 64]`,
    ),
    { resource: 'ram', limit: 512, used: 512, requested: 64 },
  ],
  ['compute', novaRefusal('forbidden', 403, 'Quota exceeded, too many key pairs.'), {}],
  ['compute', novaRefusal('forbidden', 403, 'Maximum number of metadata items exceeds 1'), {}],
  [
    'volume',
    novaRefusal(
      'overLimit',
      413,
      "VolumeLimitExceeded: Maximum number of volumes allowed (10) exceeded for quota 'volumes'.",
    ),
    { resource: 'volumes', limit: 10 },
  ],
  [
    'volume',
    novaRefusal(
      'overLimit',
      413,
      'VolumeSizeExceedsAvailableQuota: Requested volume or snapshot exceeds allowed gigabytes quota. Requested 10G, quota is 1000G and 995G has been consumed.',
    ),
    { resource: 'storage', limit: 1000 * GiB, used: 995 * GiB, requested: 10 * GiB },
  ],
  [
    'volume',
    novaRefusal(
      'overLimit',
      413,
      'VolumeBackupSizeExceedsAvailableQuota: Requested backup exceeds allowed Backup gigabytes quota. Requested 2G, quota is 50G and 49G has been consumed.',
    ),
    { resource: 'volumes_backups', limit: 50 * GiB, used: 49 * GiB, requested: 2 * GiB },
  ],
  ['network', neutronRefusal(409, 'OverQuota', `Quota exceeded for resources: ['port'].`), { resource: 'ports' }],
  [
    'image',
    glanceRefusal(
      413,
      'Request Entity Too Large',
      'Project 1f is over a limit for [Resource image_count_total is over limit of 2 due to current usage 2 and delta 1]',
    ),
    { resource: 'images', limit: 2, used: 2, requested: 1 },
  ],
]
test.each(quotas)('%s: reports an exceeded quota with its values (%#)', async (service, reply, numbers) => {
  const problem = await refusalOf(service, reply)
  expect(problem.code).toBe('quota_exceeded')
  const { service: _, status: __, cloud_request_id: ___, reason: ____, ...told } = problem.data
  expect(told).toEqual(numbers)
})
