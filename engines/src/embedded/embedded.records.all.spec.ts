import { Readable } from 'node:stream'
import { afterAll, describe, expect, test } from 'vitest'
import { startServer } from '../../../server/src/testing/start-server'
import type { Entity } from '../ports/records'
import { instanceDraft, refusal, type CloudUnderTest } from '../conformance/cloud'
import type { DirectoryUnderTest } from '../conformance/directory-fixture'
import { allSuites, describeEngine } from '../conformance/engine'
import { rawDisk } from '../conformance/images'
import { thisNodeId } from '../ports/named-id'
import { defaultNetworkId } from './networking/default-network'
import { memberOf, operator } from './testing/embedded-cloud'

/** Opens the engine with simulated machines, and with the server's real records and jobs in PostgreSQL. */
async function open(): Promise<CloudUnderTest & DirectoryUnderTest> {
  const { tools, close } = await startServer()
  return {
    ...tools.ports,
    capabilities: tools.capabilities.compute,
    balancingCapabilities: tools.capabilities['load-balancing'],
    member: memberOf('ours'),
    stranger: memberOf('theirs'),
    operator,
    prefix: '',
    row: <Row extends Entity>(kind: string, id: string) => tools.inventory.transaction((tx) => tx.get<Row>(kind, id)),
    bootImage: () => Readable.from([rawDisk()]),
    flavor: 's1.nano',
    largerFlavor: 's1.micro',
    network: defaultNetworkId,
    node: thisNodeId,
    address: (place) => `10.20.3.${place}`,
    close,
  }
}

/** One server shared by all suites. */
let opened: ReturnType<typeof open> | null = null
const start = async () => ({ ...(await (opened ??= open())), close: async () => undefined })
afterAll(async () => (await opened)?.close())

describeEngine(start, allSuites)

describe('concurrent requests', () => {
  test('create exactly as many instances as the quota allows, each with its own address', async () => {
    const cloud = await open()
    const { compute, member } = cloud
    const draft = instanceDraft(cloud, { id: '' } as never, {
      volumes: [{ source: 'blank', size: 1024 ** 3, boot_index: 0 }],
    })
    const { instances } = await compute.quotas(member, 'ours')
    const outcomes = await Promise.allSettled(
      Array.from({ length: instances.limit + 5 }, (_, at) =>
        compute.instances.create(member, { ...draft, name: `at once ${at}` }),
      ),
    )
    const made = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? outcome.value : []))
    expect(made).toHaveLength(instances.limit)
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected')
        expect(await refusal(Promise.reject(outcome.reason as Error))).toMatchObject({ code: 'quota_exceeded' })
    }
    const addresses = made.map((row) => row.network_data[0]!.fixed_ips[0]!.ip_address)
    expect(new Set(addresses).size).toBe(instances.limit)
    expect((await compute.quotas(member, 'ours')).instances.used).toBe(instances.limit)
    await cloud.close()
  })
})
