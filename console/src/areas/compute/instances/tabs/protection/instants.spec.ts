import { describe, expect, it, test } from 'vitest'
import { instantsOf, wholeOf, type InstantState } from './instants'

const day = (number: number) => `2026-11-${number}T02:00:00.000Z`
const point = (instant_id: string, volume_id: string, taken_at: string, status = 'available') => ({
  ...{
    id: `${instant_id}-${volume_id}`,
    name: 'nightly',
    instant_id,
    volume_id,
    taken_at,
    status,
    device: null,
    damaged_by: null,
  },
  ...{ backup_plan_id: null, backup_plan_name: null },
})
const volumeIds = ['boot', 'data']

describe('the instants of a virtual machine', () => {
  const points = [
    point('of-one', 'data', day(22)),
    { ...point('whole', 'data', day(21)), device: 'vdb' },
    { ...point('whole', 'boot', '2026-11-21T01:59:58.000Z'), device: 'vda' },
    point('replaced', 'boot', day(20)),
    point('replaced', 'former', day(20)),
  ]

  it('group recovery points that were created together, newest first', () => {
    const instants = instantsOf(points, volumeIds)
    expect(instants.map(({ id }) => id)).toEqual(['of-one', 'whole', 'replaced'])
    expect(instants[1]).toMatchObject({ takenAt: '2026-11-21T01:59:58.000Z', covered: 2, state: 'available' })
    expect(instants[1]!.points.map(({ device }) => device)).toEqual(['vda', 'vdb'])
    expect(instants[2]).toMatchObject({ covered: 1 })
  })

  it('are whole if they contain all current volumes', () => {
    const whole = (ids: readonly string[]) => wholeOf(instantsOf(points, ids), ids).map(({ id }) => id)
    expect(whole(volumeIds)).toEqual(['whole'])
    expect(whole(['boot'])).toEqual(['whole', 'replaced'])
    expect(whole([])).toEqual([])
  })

  test.each<[string, string | null, InstantState]>([
    ['available', null, 'available'],
    ['verifying', null, 'available'],
    ['error_restoring', null, 'available'],
    ['creating', null, 'creating'],
    ['error', null, 'incomplete'],
    ['deleting', null, 'incomplete'],
    ['available', 'another', 'damaged'],
  ])('with a recovery point that is %s and damaged by %s is %s', (status, damaged_by, state) => {
    const other = { ...point('one', 'data', day(21), status), damaged_by }
    const [instant] = instantsOf([point('one', 'boot', day(21)), other], volumeIds)
    expect(instant!.state).toBe(state)
    expect(wholeOf([instant!], volumeIds)).toHaveLength(state === 'available' ? 1 : 0)
  })
})
