import { createServer, type AddressInfo, type Server } from 'node:net'
import { networkInterfaces } from 'node:os'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createAsk, ForbiddenAddress, isClosed } from './ask'

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

const ask = createAsk(['trusted.invalid'])
afterAll(() => ask.close())

/** Whether an error says that the address is none that is asked. */
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
])('connects to nothing of this machine as %s', async (host) => {
  expect(await refusal(`https://${host}:${port}/`)).toBe('forbidden')
  expect(connections).toBe(0)
})

it('takes the addresses of this machine for its own, those of its link and of many, and no others', () => {
  const own = Object.values(networkInterfaces()).flatMap((it) => it ?? [])
  expect(own.length).toBeGreaterThan(0)
  for (const { address } of own) expect(isClosed(address), address).toBe(true)
  for (const address of ['169.254.169.254', 'fe80::1', '224.0.0.1', 'ff02::1', '::ffff:169.254.169.254'])
    expect(isClosed(address), address).toBe(true)
  for (const address of ['192.0.2.1', '203.0.113.9', '2001:db8::1']) expect(isClosed(address), address).toBe(false)
})

it('asks by https alone, but for hosts that the operator trusts', () => {
  for (const address of ['http://login.example', 'ftp://login.example', 'file:///etc/passwd', 'javascript:alert(1)'])
    expect(() => ask.check(new URL(address)), address).toThrow(ForbiddenAddress)
  for (const address of ['https://login.example', 'http://trusted.invalid:8080'])
    expect(() => ask.check(new URL(address)), address).not.toThrow()
})
