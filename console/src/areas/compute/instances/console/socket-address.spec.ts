import { expect, test } from 'vitest'
import { socketAddress } from './socket-address'
import { retryDelayMs } from './use-console'

const ticket = { path: '/websockify', token: 'a b' }

test('connects to /websockify on the current host [EV-029]', () => {
  expect(socketAddress(ticket, { protocol: 'http:', host: 'cloud:8800' }, '/')).toBe(
    'ws://cloud:8800/websockify?token=a+b',
  )
})

test("uses wss on https pages, under the console's path prefix", () => {
  expect(socketAddress(ticket, { protocol: 'https:', host: 'cloud' }, '/api/agent_direct/n1/lca/')).toBe(
    'wss://cloud/api/agent_direct/n1/lca/websockify?token=a+b',
  )
})

test('does not duplicate a token that the path already contains', () => {
  expect(socketAddress({ path: '/websockify?token=x', token: 'x' }, { protocol: 'http:', host: 'h' }, '/')).toBe(
    'ws://h/websockify?token=x',
  )
})

test('doubles the retry delay after each failed attempt, up to 30 seconds', () => {
  expect([1, 2, 3, 4, 5, 6, 20].map(retryDelayMs)).toEqual([1000, 2000, 4000, 8000, 16_000, 30_000, 30_000])
})
