import { expect, test } from 'vitest'
import { areaList } from './areas'
import { resourceList } from './resources'
import { tolerances } from './tolerances'

const twice = (names: readonly string[]): string[] => names.filter((name, place) => names.indexOf(name) !== place)

test('no two areas have a name, a resource, a kind or a quota in common', () => {
  expect(twice(areaList.map(({ name }) => name))).toEqual([])
  expect(twice(resourceList.map(([name]) => name))).toEqual([])
  expect(twice(resourceList.flatMap(([, { kind }]) => kind?.name ?? []))).toEqual([])
  expect(twice(areaList.flatMap(({ engine }) => Object.keys(engine?.quotas ?? {})))).toEqual([])
})

test('an area needs other areas that engines serve', () => {
  const served = areaList.flatMap(({ name, engine }) => (engine ? [name] : []))
  for (const { name, engine } of areaList)
    for (const other of engine?.needs ?? []) expect(served.filter((it) => it !== name)).toContain(other)
})

test('what engines can do where there is none has the shape that the area declares', () => {
  for (const { name, engine } of areaList)
    if (engine?.capabilities) {
      const { schema, none } = engine.capabilities
      expect(schema.parse(none), name).toEqual(none)
    }
})

test('each area says what its own calls tolerate, and each call once', () => {
  for (const { name, resources, tolerances: its = [] } of areaList) {
    const calls = Object.values(resources).flatMap((resource) => Object.values(resource.calls))
    for (const [call] of its) expect(calls.includes(call), `${call.verb} ${call.path} in ${name}`).toBe(true)
  }
  expect(tolerances.size).toBe(areaList.flatMap(({ tolerances: its = [] }) => its).length)
})
