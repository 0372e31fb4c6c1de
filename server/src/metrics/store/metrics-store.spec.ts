import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openMetricsStore } from './metrics-store'

let server: Server
let url: string
beforeEach(async () => {
  server = createServer((_, reply) => reply.writeHead(204).end())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterEach(() => new Promise((resolve) => server.close(resolve)))

it('waits for a store that is still starting', async () => {
  let address: { url: string; headers: Record<string, string> } | null = null
  let isReady!: () => void
  const ready = new Promise<void>((resolve) => (isReady = resolve))
  const store = openMetricsStore({ address: () => address, ready, close: async () => undefined })
  const pushed = store.push(['up 1 1000'])
  address = { url, headers: {} }
  isReady()
  await expect(pushed).resolves.toBeUndefined()
})

it('fails immediately if a store that has been ready becomes unavailable', async () => {
  const store = openMetricsStore({ address: () => null, ready: Promise.resolve(), close: async () => undefined })
  await expect(store.push(['up 1 1000'])).rejects.toMatchObject({ code: 'metrics_unavailable' })
})
