import { expect, test } from 'vitest'
import { socketAddress } from './socket-address'
import { retryDelayMs } from './use-console'

const ticket = { path: '/websockify', token: 'a b' }

test('the screen is at /websockify of the present host [EV-029]', () => {
  expect(socketAddress(ticket, { protocol: 'http:', host: 'cloud:8800' }, '/')).toBe(
    'ws://cloud:8800/websockify?token=a+b',
  )
})

test('it is encrypted where the page is, and below the prefix that the console is mounted at', () => {
  expect(socketAddress(ticket, { protocol: 'https:', host: 'cloud' }, '/api/agent_direct/n1/lca/')).toBe(
    'wss://cloud/api/agent_direct/n1/lca/websockify?token=a+b',
  )
})

test('a path that holds the ticket already does not hold it twice', () => {
  expect(socketAddress({ path: '/websockify?token=x', token: 'x' }, { protocol: 'http:', host: 'h' }, '/')).toBe(
    'ws://h/websockify?token=x',
  )
})

test('attempts come ever more seldom, at most every half minute', () => {
  expect([1, 2, 3, 4, 5, 6, 20].map(retryDelayMs)).toEqual([1000, 2000, 4000, 8000, 16_000, 30_000, 30_000])
})
