import { HostFacts } from '@mainstay/contract/infrastructure/node-facts'
import { describe, expect, it } from 'vitest'
import { lab } from '../../../server/src/testing/lab'
import { FactsReader } from './facts/facts-reader'
import { openSshLink } from './ssh-link'
import { linkConformance } from './testing/conformance/link'

const { nodes, power } = lab()
const [first, , last] = nodes as [(typeof nodes)[0], (typeof nodes)[0], (typeof nodes)[0]]
const log = { warn: (fields: object) => expect.unreachable(JSON.stringify(fields)) }
const open = (node: (typeof nodes)[0]) => openSshLink(node, AbortSignal.timeout(60_000))

linkConformance('a node of the lab', () => open(first))

describe('nodes of the lab', () => {
  it('report their identity and their hardware', async () => {
    const all = await Promise.all(
      nodes.map(async (node) => {
        const link = await open(node)
        const facts = await new FactsReader(link, { log }).read(AbortSignal.timeout(60_000))
        await link.close()
        return facts
      }),
    )
    for (const [at, facts] of all.entries()) {
      expect(HostFacts.parse(facts)).toEqual(facts)
      expect(facts).toMatchObject({ hostname: nodes[at]?.name, rights: 'root', services: [] })
      expect(facts.os).toMatch(/^Debian GNU\/Linux 12/)
      expect(facts.missing_programs).toEqual(['lldpctl'])
      expect(facts.interfaces.map(({ name, type, state }) => [name, type, state])).toEqual([
        ['eth0', 'ethernet', 'up'],
        ['eth1', 'ethernet', 'down'],
      ])
      expect(facts.interfaces[0]?.ipv4).toEqual([`${nodes[at]?.address}/24`])
      expect(facts.cpu.threads).toBeGreaterThan(0)
      expect(Math.abs(facts.clock_offset_ms)).toBeLessThan(1_000)
    }
    expect(new Set(all.map(({ machine_id }) => machine_id)).size).toBe(nodes.length)
  })

  it('report a failed unit with its reason', async () => {
    const link = await open(first)
    await link.run(['systemd-run', '--unit=broken', 'sh', '-c', 'exit 3'])
    const reader = new FactsReader(link, { log })
    await expect
      .poll(async () => (await reader.read(AbortSignal.timeout(60_000))).services)
      .toEqual([{ name: 'broken.service', status: 'failed', message: 'exit status 3' }])
    await link.run(['systemctl', 'reset-failed', 'broken.service'])
    await link.close()
  })

  it('are lost when their power is cut, and can be reached again with the same key and machine ID', async () => {
    const link = await open(last)
    const before = await link.read('/etc/machine-id')
    const lost = new Promise((resolve) => link.lost.addEventListener('abort', resolve))
    await power('kill', last.name)
    await lost
    expect(link.lost.reason).toMatchObject({ reason: 'unreachable' })
    await expect(open(last)).rejects.toMatchObject({ reason: 'unreachable' })
    await power('start', last.name)
    const again = await open(last)
    expect(await again.read('/etc/machine-id')).toEqual(before)
    await again.close()
  })
})
