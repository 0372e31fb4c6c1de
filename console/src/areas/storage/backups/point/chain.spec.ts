import { describe, expect, it, test } from 'vitest'
import { chainAmong, storedBytes } from './chain'

const point = (id: string, parent_id: string | null, hour: number, status = 'available') => ({
  ...{ id, parent_id, status },
  taken_at: `2026-11-20T${String(hour).padStart(2, '0')}:00:00Z`,
})
const idsOf = (points: readonly { id: string }[]) => points.map(({ id }) => id)

describe('the chain of a recovery point', () => {
  const [full, one, two, three] = [
    point('full', null, 1),
    point('one', 'full', 2),
    point('two', 'one', 3),
    point('three', 'two', 4),
  ] as const
  const failed = point('failed', 'one', 5, 'error')
  const other = point('other', null, 6)
  const points = [other, failed, three, two, one, full]

  it('has the recovery points that a restore reads, and those that need this one, oldest first', () => {
    const { needed, dependents, isComplete } = chainAmong(one, points)
    expect(idsOf(needed)).toEqual(['full', 'one'])
    expect(idsOf(dependents)).toEqual(['two', 'three'])
    expect(isComplete).toBe(true)
  })

  it('consists of one recovery point if that is full and not needed', () => {
    expect(chainAmong(other, points)).toEqual({ needed: [other], dependents: [], isComplete: true })
  })

  it('does not depend on the order of recovery points with the same time', () => {
    const same = [full, { ...two, taken_at: full.taken_at }, { ...one, taken_at: full.taken_at }]
    expect(idsOf(chainAmong(full, same).dependents).toSorted()).toEqual(['one', 'two'])
  })

  it('is incomplete if an earlier recovery point is missing', () => {
    const { needed, isComplete } = chainAmong(two, [two, one])
    expect(idsOf(needed)).toEqual(['one', 'two'])
    expect(isComplete).toBe(false)
  })
})

test.each([
  [[4, 5], 9],
  [[4, null], null],
  [[], 0],
])('the stored size of %j is %s', (sizes, sum) => {
  expect(storedBytes(sizes.map((stored_size) => ({ stored_size })))).toBe(sum)
})
