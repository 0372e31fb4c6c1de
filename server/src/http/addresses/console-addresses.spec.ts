import { expect, it } from 'vitest'
import { createConsoleAddresses } from './console-addresses'

const settings = { address: null, adminAddress: null, port: 8800, adminPort: 8888, hosts: ['console.example'] }
const here = (ownAddress: string | null, panel: 'admin' | 'self-service' = 'self-service') => ({ panel, ownAddress })

it('uses the configured address or the one in the caller’s browser, and the other panel’s own port', () => {
  const { of } = createConsoleAddresses(settings)
  expect(of('self-service', here('https://console.example'))).toBe('https://console.example')
  expect(of('self-service', here('https://console.example:8888', 'admin'))).toBe('https://console.example:8800')
  expect(of('admin', here('https://console.example:8800'))).toBe('https://console.example:8888')
  expect(of('self-service', here('https://admin.example', 'admin'))).toBeNull()
  expect(of('self-service', here(null))).toBeNull()
  const set = createConsoleAddresses({ ...settings, address: 'https://portal.example/cloud' })
  for (const from of [here('https://console.example'), here(null), here('https://x.example', 'admin')])
    expect(set.of('self-service', from)).toBe('https://portal.example/cloud')
})

it('does not take a host from the request unless the server accepts that host name', () => {
  const { certain, canBeCertain } = createConsoleAddresses(settings)
  expect(certain('self-service', here('https://console.example:8800'))).toBe('https://console.example:8800')
  for (const other of ['https://evil.example', 'http://localhost:8800', 'https://console.example.evil.example'])
    expect(certain('self-service', here(other))).toBeNull()
  expect(canBeCertain('self-service')).toBe(true)
  const onLoopback = createConsoleAddresses({ ...settings, hosts: [] })
  expect(onLoopback.certain('self-service', here('http://localhost:8800'))).toBe('http://localhost:8800')
  expect(onLoopback.certain('self-service', here('https://evil.example'))).toBeNull()
  const anywhere = createConsoleAddresses({ ...settings, hosts: null })
  expect(anywhere.certain('self-service', here('https://console.example'))).toBeNull()
  expect(anywhere.canBeCertain('self-service')).toBe(false)
  const set = createConsoleAddresses({ ...settings, hosts: null, address: 'https://portal.example' })
  expect(set.certain('self-service', here('https://evil.example'))).toBe('https://portal.example')
})

it('redirects users from an identity provider only to a configured address or to loopback', () => {
  const at = (its: object, ownAddress: string | null, panel: 'admin' | 'self-service' = 'self-service') => {
    try {
      return createConsoleAddresses({ ...settings, ...its }).ofSignIn(panel, here(ownAddress, panel))
    } catch (error) {
      return (error as Error).message
    }
  }
  const onLoopback = { hosts: [] }
  for (const own of ['http://localhost:8800', 'http://127.0.0.1:8800', 'http://[::1]:8800'])
    expect(at(onLoopback, own)).toBe(own)
  for (const other of ['http://evil.localhost:7', 'https://evil.example', null])
    expect(at(onLoopback, other)).toMatch(/must set MAINSTAY_ADDRESS to/)
  const anywhere = { hosts: null }
  for (const any of ['https://console.example', 'http://localhost:8800'])
    expect(at(anywhere, any, 'admin')).toMatch(/must set MAINSTAY_ADMIN_ADDRESS to/)
  expect(at({}, 'https://console.example:8800')).toBe('https://console.example:8800')
  expect(at({}, 'https://evil.example')).toMatch(/MAINSTAY_ADDRESS/)
  expect(at({ ...anywhere, address: 'https://portal.example' }, 'https://evil.example')).toBe('https://portal.example')
})
