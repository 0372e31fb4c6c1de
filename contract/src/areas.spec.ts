import { expect, test } from 'vitest'
import { areaList } from './areas'
import { resourceList } from './resources'
import { tolerances } from './tolerances'

const twice = (names: readonly string[]): string[] => names.filter((name, place) => names.indexOf(name) !== place)

test('no two areas share a name, resource, kind or quota', () => {
  expect(twice(areaList.map(({ name }) => name))).toEqual([])
  expect(twice(resourceList.map(([name]) => name))).toEqual([])
  expect(twice(resourceList.flatMap(([, { kind }]) => kind?.name ?? []))).toEqual([])
  expect(twice(areaList.flatMap(({ engine }) => Object.keys(engine?.quotas ?? {})))).toEqual([])
})

test('an area depends only on other areas that an engine serves', () => {
  const served = areaList.flatMap(({ name, engine }) => (engine ? [name] : []))
  for (const { name, engine } of areaList)
    for (const other of engine?.needs ?? []) expect(served.filter((it) => it !== name)).toContain(other)
})

test('the default capabilities of an area match its schema', () => {
  for (const { name, engine } of areaList)
    if (engine?.capabilities) {
      const { schema, none } = engine.capabilities
      expect(schema.parse(none), name).toEqual(none)
    }
})

test('each area declares tolerances only for its own calls, once per call', () => {
  for (const { name, resources, tolerances: its = [] } of areaList) {
    const calls = Object.values(resources).flatMap((resource) => Object.values(resource.calls))
    for (const [call] of its) expect(calls.includes(call), `${call.verb} ${call.path} in ${name}`).toBe(true)
  }
  expect(tolerances.size).toBe(areaList.flatMap(({ tolerances: its = [] }) => its).length)
})
