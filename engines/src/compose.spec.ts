import { expect, it } from 'vitest'
import { openEngines } from './compose'
import type { Sight } from './ports/feed'
import { allAreas } from './ports/area-ports'
import type { Engine, EngineOffer, Lent, PlannedEngine } from './ports/engine'
import type { Records } from './ports/records'

const engine = (source: string, change: Partial<Engine> = {}): Engine => ({
  ...{ source, name: source, about: { hypervisor: 'none', accelerator: 'none', simulated: true } },
  ...{ ports: {}, missing: {}, capabilities: {}, feed: null },
  ...{ open: () => Promise.resolve(), close: () => Promise.resolve() },
  ...change,
})

/** An engine of one area and one kind of rows; `open` gets what it is lent. */
const planned = (source: string, area: 'compute' | 'storage', kind: string, open: (lent: Lent) => Engine) => {
  const offer: EngineOffer = {
    ...{ source, areas: [area], needs: {}, kinds: [{ kind, area, view: 'record' }] },
    open: async (_, lent) => open(lent),
  }
  return { offer, areas: new Set([area]), kinds: offer.kinds } satisfies PlannedEngine
}
const planOf = (...engines: PlannedEngine[]) => {
  const by = (area: string) => engines.find(({ areas }) => areas.has(area as never))?.offer.source ?? null
  return { engines, areas: Object.fromEntries(allAreas.map((area) => [area, by(area)])) as never }
}

function lend() {
  const written: string[] = []
  const lent = {
    absorb: async (sights: readonly Sight[]) => void written.push(...sights.map(({ kind }) => kind)),
    records: {
      transaction: (work) => work({ put: async (kind: string) => void written.push(kind) } as never),
    } satisfies Records,
    jobs: { handle: () => undefined },
  } as unknown as Omit<Lent, 'identity'>
  return { lend: () => lent, written }
}

it('an engine writes no rows but its own, whether it keeps them or sees them', async () => {
  const { lend: lendTo, written } = lend()
  let here!: Lent
  await openEngines(planOf(planned('one', 'storage', 'volume', (given) => ((here = given), engine('one')))), lendTo)
  await here.absorb([
    { op: 'remove', kind: 'volume', id: 'v1' },
    { op: 'remove', kind: 'server', id: 's1' },
  ])
  await here.records.transaction((tx) => tx.put('volume', { id: 'v1' }))
  expect(written).toEqual(['volume', 'volume'])
  await expect(here.records.transaction((tx) => tx.put('server', { id: 's1' }))).rejects.toThrow(
    'one is not the source of server rows',
  )
  expect(written).toHaveLength(2)
})

it('two engines that do the same job are refused, and what was opened is closed', async () => {
  const closed: string[] = []
  const doing = (source: string) => (given: Lent) => {
    given.jobs.handle('volume.create', { run: async () => null })
    return engine(source, { close: async () => void closed.push(source) })
  }
  const plan = planOf(
    planned('one', 'compute', 'server', doing('one')),
    planned('two', 'storage', 'volume', doing('two')),
  )
  await expect(openEngines(plan, lend().lend)).rejects.toThrow('one and two both do volume.create')
  expect(closed).toEqual(['one'])
})

it('an engine that lacks something of its host says what to install, as the advice of its areas', async () => {
  const lacking = engine('one', { missing: { compute: 'Install QEMU' } })
  const { areas, ports } = await openEngines(planOf(planned('one', 'compute', 'server', () => lacking)), lend().lend)
  expect(areas.compute).toEqual({ engine: null, advice: 'Install QEMU' })
  await expect(ports.compute.stat({} as never)).rejects.toMatchObject({
    code: 'not_configured',
    message: 'Install QEMU',
  })
  await expect(ports.storage.stat({} as never)).rejects.toMatchObject({
    message: expect.stringContaining('No engine serves volumes here'),
  })
})
