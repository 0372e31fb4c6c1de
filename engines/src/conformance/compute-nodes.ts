import { randomUUID } from 'node:crypto'
import { ComputeNodeStatistics } from '@mainstay/contract/compute/node-statistics'
import { ComputeNode } from '@mainstay/contract/compute/nodes'
import { describe, expect, test } from 'vitest'
import { refusal, suiteOf, type StartCloud } from './cloud'
import { instanceFixture, slowTest } from './instance-fixture'

/**
 * Conformance tests for compute nodes. On a real cloud, no node is fenced or released, because virtual machines of
 * other users may run on it.
 */
export function describeComputeNodes(start: StartCloud): void {
  describe(suiteOf('compute_node'), () => {
    const fixture = instanceFixture(start)
    const nodes = () => fixture.cloud.compute.nodes
    const order = { roles: ['compute' as const], event: null }

    test('describes a node that runs instances', async () => {
      const { cloud } = fixture
      const node = ComputeNode.parse(await cloud.row<ComputeNode>('compute_node', cloud.node))
      expect(node).toMatchObject({ state: 'up', fenced_reason: null, hypervisor: { status: 'enabled' } })
      expect(node.roles).toContain('compute')
    })

    test('measures the capacity of all nodes', slowTest, async () => {
      const { cloud } = fixture
      const statistics = ComputeNodeStatistics.parse((await nodes().statistics(cloud.operator)).get(cloud.node))
      const { physical, compute } = statistics
      expect(physical.cpu_cores).toBeGreaterThan(0)
      expect(physical.mem_total).toBeGreaterThan(0)
      expect(compute.vm_mem_free + compute.vm_mem_reserved).toBe(compute.vm_mem_capacity)
      expect(compute.vcpus_free).toBeLessThanOrEqual(compute.vcpus)
    })

    test('refuses to add a node that is part of compute, and unknown nodes', slowTest, async () => {
      const { cloud } = fixture
      const code = cloud.capabilities.many_nodes ? 'invalid_state' : 'engine_one_node'
      expect(await refusal(nodes().join(cloud.operator, cloud.node, order))).toMatchObject({ code })
      for (const command of ['join', 'release'] as const)
        expect(await refusal(nodes()[command](cloud.operator, randomUUID(), order))).toMatchObject({
          code: 'not_found',
        })
    })

    test(
      'refuses to release a node with instances, and to return a node that is not fenced',
      slowTest,
      async ({ skip }) => {
        const { cloud } = fixture
        const { id, host } = await fixture.running({ name: 'keeps-its-node' })
        try {
          // skip if another node could be released, because it may run virtual machines of other users
          skip((await cloud.row<ComputeNode>('compute_node', cloud.node))?.host !== host)
          const code = cloud.capabilities.many_nodes ? 'in_use' : 'engine_one_node'
          expect(await refusal(nodes().release(cloud.operator, cloud.node, order))).toMatchObject({ code })
          expect(await refusal(nodes().unfence(cloud.operator, cloud.node))).toMatchObject({ code: 'invalid_state' })
        } finally {
          await fixture.remove(id)
        }
      },
    )
  })
}
