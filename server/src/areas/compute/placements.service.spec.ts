import { Problem } from '@mainstay/contract/core/problems'
import { expect, it } from 'vitest'
import type { Tools } from '../../tools'
import { silentLogger } from '../../testing/silent-logger'
import { createPlacement } from './placements.service'

it('returns the original error when a placement is refused, and logs its ID if it cannot be removed', async () => {
  const refusal = new Problem('validation', 'Node n2 cannot carry it')
  const outage = new Error('the engine is away')
  const placements = {
    create: async () => ({ id: 'p1' }),
    assign: async () => Promise.reject(refusal),
    withdraw: async (_: unknown, _id: string, _carrier: string, node: string) => {
      if (node === 'n1') throw outage
      throw new Problem('not_found', 'It does not carry it')
    },
    delete: async () => Promise.reject(outage),
  }
  const logged: object[] = []
  const log = { ...silentLogger, error: (fields: object) => void logged.push(fields) }
  const scope = { kind: 'system', request_id: 'r1' } as never
  const draft = { name: 'gold', description: '', isolated: false, nodes: ['n1', 'n2'], images: [], flavors: [] }
  const tools = { log, ports: { compute: { placements } } } as unknown as Pick<Tools, 'ports' | 'log'>
  await expect(createPlacement(scope, draft, tools)).rejects.toBe(refusal)
  expect(logged).toEqual([
    { err: outage, placement_id: 'p1', request_id: 'r1', carrier: 'nodes', carrier_id: 'n1' },
    { err: outage, placement_id: 'p1', request_id: 'r1' },
  ])
})
