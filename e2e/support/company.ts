import { startOpenIdProvider, trustLoopback } from '../../server/src/testing/outside/openid-provider'
import { startServer } from './server'
import { test as base } from './test'

/** A company with accounts of its own, and a server of which people see it as another site. */
export const test = base.extend<object, { company: Awaited<ReturnType<typeof startOpenIdProvider>> }>({
  company: [
    // oxlint-disable-next-line no-empty-pattern -- the name and shape of fixtures is Playwright's
    async ({}, use) => {
      const company = await startOpenIdProvider()
      await use(company)
      await company.close()
    },
    { scope: 'worker' },
  ],
  server: [
    async ({ company: _ }, use) => {
      const server = await startServer(trustLoopback)
      await use({ ...server, url: server.url.replace('127.0.0.1', 'localhost') })
      await server.stop()
    },
    { scope: 'worker', timeout: 240_000 },
  ],
})
