import { createServer, type AddressInfo, type Server } from 'node:net'
import { networkInterfaces } from 'node:os'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createOutboundClient, ForbiddenAddress, isClosed } from './outbound-client'

let here: Server
let port = 0
let connections = 0
beforeAll(async () => {
  here = createServer((socket) => {
    connections += 1
    socket.destroy()
  })
  await new Promise<void>((resolve) => here.listen(0, resolve))
  port = (here.address() as AddressInfo).port
})
afterAll(() => new Promise((resolve) => here.close(resolve)))

const ask = createOutboundClient(['trusted.invalid'])
afterAll(() => ask.close())

/** Whether a `ForbiddenAddress` is among the causes of an error. */
function isForbidden(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause) if (at instanceof ForbiddenAddress) return true
  return false
}
const refusal = (address: string) =>
  ask.fetch(address, { signal: AbortSignal.timeout(5000) }).then(
    () => 'asked',
    (error: unknown) => (isForbidden(error) ? 'forbidden' : error),
  )

it.each([
  'localhost',
  '127.0.0.1',
  '127.1',
  '2130706433',
  '0x7f.1',
  '0.0.0.0',
  '[::1]',
  '[::]',
  '[::ffff:127.0.0.1]',
  '[64:ff9b::7f00:1]',
])('does not connect to this host as %s', async (host) => {
  expect(await refusal(`https://${host}:${port}/`)).toBe('forbidden')
  expect(connections).toBe(0)
})

it("blocks this host's own, link-local and multicast addresses, and no others", () => {
  const own = Object.values(networkInterfaces()).flatMap((it) => it ?? [])
  expect(own.length).toBeGreaterThan(0)
  for (const { address } of own) expect(isClosed(address), address).toBe(true)
  for (const address of ['169.254.169.254', 'fe80::1', '224.0.0.1', 'ff02::1', '::ffff:169.254.169.254'])
    expect(isClosed(address), address).toBe(true)
  for (const address of ['192.0.2.1', '203.0.113.9', '2001:db8::1']) expect(isClosed(address), address).toBe(false)
})

it('requires HTTPS, except for hosts that the operator trusts', () => {
  for (const address of ['http://login.example', 'ftp://login.example', 'file:///etc/passwd', 'javascript:alert(1)'])
    expect(() => ask.check(new URL(address)), address).toThrow(ForbiddenAddress)
  for (const address of ['https://login.example', 'http://trusted.invalid:8080'])
    expect(() => ask.check(new URL(address)), address).not.toThrow()
})

describe('the single error for private networks', () => {
  /** Returns the error that results if work requests a host and then fails with `fault`. */
  const thrown = (address: string, fault: string, by = ask) =>
    by
      .withOneAnswerInside(
        async () => {
          await by.fetch(address, { signal: AbortSignal.timeout(20) }).catch(() => undefined)
          throw new Error(fault)
        },
        () => new Error('inside'),
      )
      .catch((error: Error) => error.message)

  it.each([
    'https://10.1.2.3',
    'https://172.31.0.1/realms/a',
    'https://192.168.1.1:8443',
    'https://100.64.0.1',
    'https://[fd00::1]',
    'https://[::ffff:10.0.0.1]',
    'https://0x0a.1',
  ])('returns the same error for every failure: %s', async (address) => {
    expect([await thrown(address, 'unreachable'), await thrown(address, 'untrusted')]).toEqual(['inside', 'inside'])
  })

  it.each(['https://192.0.2.1', 'https://172.32.0.1', 'https://[2001:db8::1]'])(
    'does not apply to public addresses: %s',
    async (address) => {
      expect([await thrown(address, 'unreachable'), await thrown(address, 'untrusted')]).toEqual([
        'unreachable',
        'untrusted',
      ])
    },
  )

  it('does not apply to hosts that the operator trusts', async () => {
    const trusting = createOutboundClient(['10.1.2.3'])
    expect(await thrown('https://10.1.2.3', 'untrusted', trusting)).toBe('untrusted')
    await trusting.close()
  })

  it('also applies to hosts that another call is already requesting', async () => {
    const failing = () => Promise.reject(new Error('untrusted'))
    const by = (shared: string) =>
      ask.withOneAnswerInside(failing, () => new Error('inside'), shared).catch((error: Error) => error.message)
    expect([await by('https://10.1.2.3'), await by('https://192.0.2.1'), await by('urn:a')]).toEqual([
      'inside',
      'untrusted',
      'untrusted',
    ])
  })
})
