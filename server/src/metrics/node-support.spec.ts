import { expect, it } from 'vitest'
import { nodeAdvice, nodeSupport } from './node-support'

const advice = (version: string, day: string) => nodeAdvice(nodeSupport(version, new Date(`${day}T12:00:00Z`)))

it('warns about a Node version from the day after its last security update', () => {
  expect(advice('20.20.2', '2026-04-30')).toBeNull()
  expect(advice('20.20.2', '2026-05-01')).toBe(
    'Node 20.20.2 has had no security updates since 2026-04-30; install Node 22 or 24.',
  )
  expect(advice('22.1.0', '2026-11-22')).toBeNull()
})

it('warns about versions older than the table, but not about newer ones', () => {
  expect(advice('28.0.0', '2029-01-01')).toBeNull()
  expect(advice('16.20.0', '2026-11-22')).toBe('Node 16.20.0 has had no security updates; install Node 22 or 24.')
})
