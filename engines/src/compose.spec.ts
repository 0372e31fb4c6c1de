import { expect, it } from 'vitest'
import { openEngines, planEngines } from './compose'
import { allAreas, noCapabilities, type Area, type AreaPorts } from './ports/area-ports'
import type { Engine, EngineOffer, EngineServices, PlannedEngine } from './ports/engine'
import type { EngineSettings } from './ports/engines'
import type { Observation } from './ports/feed'
import type { Records } from './ports/records'

const engine = (source: string, change: Partial<Engine> = {}): Engine => ({
  ...{ source, name: source, about: { hypervisor: 'none', accelerator: 'none', simulated: true } },
  ...{ ports: {}, missing: {}, capabilities: {}, feed: null },
  ...{ open: () => Promise.resolve(), close: () => Promise.resolve() },
  ...change,
})

/**
 * Plans an engine that serves one area and owns one kind. `open` receives the services that the server provides to the
 * engine.
 */
const planned = (source: string, area: Area, kind: string, open: (lent: EngineServices) => Engine) => {
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
    applyObservations: async (observations: readonly Observation[]) =>
      void written.push(...observations.map(({ kind }) => kind)),
    records: {
      transaction: (work) =>
        work({
          put: async (kind: string) => void written.push(kind),
          remove: async (kind: string) => void written.push(kind),
        } as never),
    } satisfies Records,
    jobs: { handle: () => undefined },
  } as unknown as Omit<EngineServices, 'identity'>
  return { lend: () => lent, written }
}

it('an engine can write only the kinds that it owns, whether through records or through observations', async () => {
  const { lend: lendTo, written } = lend()
  let here!: EngineServices
  await openEngines(planOf(planned('one', 'storage', 'volume', (given) => ((here = given), engine('one')))), lendTo)
  await here.applyObservations([
    { op: 'remove', kind: 'volume', id: 'v1' },
    { op: 'remove', kind: 'server', id: 's1' },
  ])
  await here.records.transaction((tx) => tx.put('volume', { id: 'v1' }))
  await here.records.transaction((tx) => tx.remove('volume', 'v1'))
  expect(written).toEqual(['volume', 'volume', 'volume'])
  const foreign = 'one is not the source of server rows'
  await expect(here.records.transaction((tx) => tx.put('server', { id: 's1' }))).rejects.toThrow(foreign)
  await expect(here.records.transaction((tx) => tx.remove('server', 's1'))).rejects.toThrow(foreign)
  expect(written).toHaveLength(3)
})

it('refuses two engines that handle the same job, and closes the engines already open', async () => {
  const closed: string[] = []
  const doing = (source: string) => (given: EngineServices) => {
    // an engine may replace its own handler
    for (let times = 0; times < 2; times++) given.jobs.handle('volume.create', { run: async () => null })
    return engine(source, { close: async () => void closed.push(source) })
  }
  const plan = planOf(
    planned('one', 'compute', 'server', doing('one')),
    planned('two', 'storage', 'volume', doing('two')),
  )
  await expect(openEngines(plan, lend().lend)).rejects.toThrow('one and two both provide volume.create')
  expect(closed).toEqual(['one'])
})

it('does not serve an area with an unmet host requirement, and returns the installation advice', async () => {
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

it('exposes the port of the engine that serves each area, and gives every engine the identity port', async () => {
  const lent: EngineServices[] = []
  const port = <Of extends Area>(area: Of) => ({ [area]: { of: area } }) as unknown as Pick<AreaPorts, Of>
  const opened = (source: string, change: Partial<Engine>) => (given: EngineServices) => (
    lent.push(given),
    engine(source, change)
  )
  const capabilities = { compute: { ...noCapabilities.compute, max_vcpus: 8 } }
  const { areas, ports, ...composed } = await openEngines(
    planOf(
      planned('machines', 'compute', 'server', opened('machines', { ports: port('compute'), capabilities })),
      planned('people', 'identity', 'user', opened('people', { ports: port('identity') })),
    ),
    lend().lend,
  )
  expect([ports.compute, ports.identity]).toEqual([{ of: 'compute' }, { of: 'identity' }])
  expect([areas.compute.engine?.source, areas.identity.engine?.source]).toEqual(['machines', 'people'])
  expect(composed.capabilities.compute.max_vcpus).toBe(8)
  expect(lent.map((it) => it.identity())).toEqual([ports.identity, ports.identity])
})

it('opens engines in order and closes them in reverse order', async () => {
  const done: string[] = []
  const noting = (source: string) => () =>
    engine(source, {
      open: async () => void done.push(`open ${source}`),
      close: async () => void done.push(`close ${source}`),
    })
  const composed = await openEngines(
    planOf(planned('one', 'compute', 'server', noting('one')), planned('two', 'storage', 'volume', noting('two'))),
    lend().lend,
  )
  await composed.open()
  await composed.close()
  expect(done).toEqual(['open one', 'open two', 'close two', 'close one'])
})

it('loads a world other than “empty” only if one engine serves every area', () => {
  const settings = { embedded: true, cloud: null, areas: {}, world: 'demo' } as unknown as EngineSettings
  expect(planEngines(settings).areas).toMatchObject({ compute: 'embedded', identity: 'embedded' })
  const partly = { ...settings, areas: { storage: 'none', compute: 'none' } } as const
  expect(() => planEngines(partly)).toThrow('MAINSTAY_WORLD=demo needs one engine that serves all areas')
  expect(planEngines({ ...partly, world: 'empty' }).areas).toMatchObject({ storage: null, networking: 'embedded' })
})
