import { describe, expect, it } from 'vitest'
import type { Endpoint } from './endpoint'
import { examplesOf, filledIn, kindsIn, someId } from './example'
import { allEndpoints, allKinds } from '../resources'

const bodies = Object.entries(allEndpoints).flatMap(([resource, calls]) =>
  Object.entries(calls as Record<string, Endpoint>).flatMap(([name, { body }]) =>
    body ? [{ call: `${resource}.${name}`, body }] : [],
  ),
)

describe('examples', () => {
  it('match their schemas, and refer only to kinds that exist', () => {
    for (const { call, body } of bodies) {
      for (const example of examplesOf(body)) {
        expect(body.safeParse(filledIn(example, (kind) => `some-${kind}`)).error?.message, call).toBeUndefined()
        expect(kindsIn(example).filter((kind) => !allKinds[kind])).toEqual([])
      }
    }
  })

  it('exist for every create call', () => {
    const without = bodies.filter(({ call, body }) => call.endsWith('.create') && examplesOf(body).length === 0)
    expect(without.map(({ call }) => call)).toEqual([])
  })

  it('contain placeholders at any depth', () => {
    const example = { networks: [{ id: someId('network') }], volume: { id: someId('volume') }, name: 'web', count: 2 }
    expect(kindsIn(example)).toEqual(['network', 'volume'])
    expect(filledIn(example, (kind) => `${kind}-1`)).toEqual({
      networks: [{ id: 'network-1' }],
      volume: { id: 'volume-1' },
      name: 'web',
      count: 2,
    })
  })
})
