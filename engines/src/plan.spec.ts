import { expect, it } from 'vitest'
import { planAreas } from './plan'
import { cloudAreas, type Area } from './ports/area-ports'
import type { EngineOffer } from './ports/engine'
import type { EngineChoiceError } from './ports/engines'

const offer = (source: string, change: Partial<EngineOffer> = {}): EngineOffer => ({
  source,
  areas: cloudAreas,
  needs: {},
  kinds: [{ kind: 'volume', area: 'storage', view: 'record' }],
  open: () => Promise.reject(new Error('not opened by a plan')),
  ...change,
})
const machine = offer('embedded', { needs: { compute: ['storage', 'networking'] } })
const cloud = offer('openstack:paris', { needs: { compute: ['identity'] } })

const faults = (offers: EngineOffer[], chosen: Partial<Record<Area, string>> = {}): string[] => {
  try {
    planAreas(offers, chosen)
    return []
  } catch (error) {
    return (error as EngineChoiceError).lines
  }
}

it('if there is only one engine, it serves every area that it supports', () => {
  expect(planAreas([machine], {}).areas).toEqual({
    compute: 'embedded',
    storage: 'embedded',
    networking: 'embedded',
    identity: 'embedded',
    'load-balancing': null,
    vpn: null,
    'object-storage': null,
  })
  const directory = offer('openstack:paris', { areas: ['identity'] })
  const { areas, engines } = planAreas([directory], {})
  expect(areas).toMatchObject({ identity: 'openstack:paris', storage: null })
  expect(engines[0]!.kinds).toEqual([])
})

it('each engine serves the areas that are assigned to its full name or to the first part of its name', () => {
  const chosen = { compute: 'openstack', networking: 'openstack:paris', identity: 'openstack', storage: 'embedded' }
  const { areas, engines } = planAreas([machine, cloud], chosen)
  expect(areas).toMatchObject({ compute: 'openstack:paris', storage: 'embedded' })
  expect(engines.map(({ offer: { source }, kinds }) => [source, kinds.length])).toEqual([
    ['embedded', 1],
    ['openstack:paris', 0],
  ])
})

it('does not open an engine that serves no areas', () => {
  const chosen = { compute: 'embedded', networking: 'embedded', identity: 'embedded', storage: 'embedded' }
  expect(planAreas([machine, cloud], chosen).engines.map(({ offer: { source } }) => source)).toEqual(['embedded'])
})

it('refuses an area that two engines could serve, and suggests the configuration line', () => {
  const lines = faults([machine, cloud], { storage: 'embedded' })
  expect(lines).toEqual([
    expect.stringContaining('compute, networking, identity. Choose embedded or openstack:paris for each'),
    'MAINSTAY_AREAS=compute=embedded,networking=embedded,identity=embedded',
  ])
  const written = Object.fromEntries(
    lines[1]!
      .replace('MAINSTAY_AREAS=', '')
      .split(',')
      .map((it) => it.split('=')),
  )
  expect(faults([machine, cloud], { storage: 'embedded', ...written })).toEqual([])
})

it('allows every area except identity to be left unserved', () => {
  expect(planAreas([cloud], { storage: 'none' }).areas).toMatchObject({ storage: null, compute: 'openstack:paris' })
  expect(faults([cloud], { identity: 'none', compute: 'none' })).toEqual([
    expect.stringContaining('No engine serves identity'),
  ])
})

it('load balancing follows the engine that serves networking, or is not served', () => {
  const whole = offer('embedded', {
    areas: [...cloudAreas, 'load-balancing'],
  })
  expect(planAreas([whole], {}).areas).toMatchObject({ networking: 'embedded', 'load-balancing': 'embedded' })
  const elsewhere = { compute: 'openstack', storage: 'embedded', networking: 'openstack', identity: 'openstack' }
  expect(planAreas([whole, cloud], elsewhere).areas).toMatchObject({ 'load-balancing': null, storage: 'embedded' })
  expect(faults([whole, cloud], { ...elsewhere, 'load-balancing': 'embedded' })).toEqual([
    expect.stringContaining('embedded serves load-balancing only together with networking'),
  ])
  const balancing = { ...cloud, areas: [...cloud.areas, 'load-balancing' as const], needs: {} }
  expect(planAreas([whole, balancing], elsewhere).areas).toMatchObject({ 'load-balancing': cloud.source })
  const here = { compute: 'embedded', storage: 'embedded', networking: 'embedded', identity: 'embedded' }
  expect(planAreas([whole, balancing], here).areas).toMatchObject({ 'load-balancing': 'embedded' })
})

it('refuses engines and areas that do not exist', () => {
  expect(faults([machine], { storage: 'ceph' })).toEqual([
    'MAINSTAY_AREAS contains storage=ceph, but storage can be served by embedded',
  ])
  expect(faults([cloud], { storage: 'open' })).toEqual([
    'MAINSTAY_AREAS contains storage=open, but storage can be served by openstack:paris',
  ])
  expect(faults([machine], { kitchen: 'embedded' } as never)).toEqual([
    'MAINSTAY_AREAS contains the unknown area kitchen; the areas are compute, storage, networking, identity, load-balancing, vpn, object-storage',
  ])
  const two = [offer('openstack:paris'), offer('openstack:berlin')]
  expect(faults(two, { storage: 'openstack' })[0]).toContain('can be served by openstack:paris, openstack:berlin')
})

it('refuses to assign an area to an engine without the other areas that it depends on', () => {
  const chosen = { compute: 'embedded', storage: 'openstack', networking: 'none', identity: 'openstack' }
  expect(faults([machine, cloud], chosen)).toEqual([
    'embedded serves compute only together with storage, which MAINSTAY_AREAS assigns to openstack:paris',
    'embedded serves compute only together with networking, which MAINSTAY_AREAS assigns to no engine',
  ])
})
